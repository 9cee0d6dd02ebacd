// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The user's settings for a radio.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp::app {

//! The gain of a radio: automatic, a total, or a value for each amplifier.
struct gain_wish {
    bool automatic = false;
    std::optional<double> total;                            //!< in dB
    std::vector<std::pair<std::string, double>> amplifiers; //!< in dB, each by its name
};

/*!
 * Parses the user's text for a gain: "auto", a number of dB, or NAME=DB for one or more
 * amplifiers, separated by commas.
 *
 * \throws std::invalid_argument if \p text has none of these forms
 */
gain_wish parse_gain(const std::string& text);

//! The user's settings for a radio.
struct radio_wish {
    std::string arguments;         //!< select the radio, such as "driver=rtlsdr,serial=1"
    std::string type;              //!< of the samples; empty: the radio's own
    double rate = 0;               //!< in Hz
    double center = 0;             //!< in Hz
    std::optional<gain_wish> gain; //!< empty: automatic if it can, else as it is
    std::optional<double> ppm;     //!< by which its clock is too fast
    std::string antenna;           //!< empty: as it is
};

//! Whether the input is a radio: "soapy:" and its arguments.
bool is_radio(const std::string& input);
/*!
 * The arguments after "soapy:", which are empty or KEY=VALUE,KEY=VALUE ...
 *
 * \throws std::invalid_argument if they have another form
 */
std::string radio_arguments(const std::string& input);

} // namespace cldsp::app
