/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp::app {

//! How strong a radio amplifies.
struct gain_wish {
    bool automatic = false;
    std::optional<double> total;                            //!< in dB
    std::vector<std::pair<std::string, double>> amplifiers; //!< in dB, each by its name
};

/*!
 * A gain as the user writes it: "auto", a number of dB, or NAME=DB for one or more
 * amplifiers, with commas between them.
 *
 * \throws std::invalid_argument if \p text is nothing of this kind
 */
gain_wish parse_gain(const std::string& text);

//! What the user wants of a radio.
struct radio_wish {
    std::string arguments; //!< which one, as SoapySDR writes it: "driver=rtlsdr,serial=1"
    std::string type;      //!< of the samples; empty: the radio's own
    double rate = 0;       //!< in Hz
    double center = 0;     //!< in Hz
    std::optional<gain_wish> gain; //!< empty: automatic if it can, else as it is
    std::optional<double> ppm;     //!< by which its clock is too fast
    std::string antenna;           //!< empty: as it is
};

//! Whether the input is a radio: "soapy:" and its arguments.
bool is_radio(const std::string& input);
/*!
 * What follows "soapy:", which is nothing or KEY=VALUE,KEY=VALUE ...
 *
 * \throws std::invalid_argument if it is something else
 */
std::string radio_arguments(const std::string& input);

} // namespace cldsp::app
