// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The samples of a radio, through SoapySDR, and the list of radios.

#pragma once

#include "channelize/radio_wish.h"
#include "channelize/sample_source.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

/*!
 * The samples of a radio, through SoapySDR. It is tuned at once, and receives from the
 * first call of read() on, in its own format if the engine knows it.
 *
 * A radio loses samples if they are not read in time. If its driver reports the times of
 * the samples, zeros replace the lost ones, so that sample n keeps its time. A radio that
 * delivers no sample for 5 seconds counts as failed.
 *
 * \throws std::invalid_argument for what the radio does not offer
 * \throws std::runtime_error that names it, if there is none or it fails, and if the
 * program was built without SoapySDR
 */
std::unique_ptr<sample_source> open_radio(const radio_wish& wish, bool verbose);

//! A range of numbers; both ends are equal for a single value.
struct number_range {
    double from = 0, to = 0;
};

struct radio_description {
    std::string arguments; //!< the SoapySDR arguments that select this radio
    std::string name;
    std::string problem; //!< why the rest is missing, e.g. that it is in use; or empty
    std::vector<number_range> rates, frequencies; //!< in Hz
    struct amplifier {
        std::string name;
        number_range gain; //!< in dB
    };
    std::vector<amplifier> amplifiers;
    number_range gain; //!< of all together, in dB
    bool has_automatic_gain = false;
    std::vector<std::string> antennas;
    std::vector<std::string> formats; //!< SoapySDR's names, its own one first
};

//! The radios that SoapySDR finds. \param arguments which ones; empty: all
//! \throws std::runtime_error if the program was built without SoapySDR
std::vector<radio_description> list_radios(const std::string& arguments, bool verbose);

} // namespace cldsp::app
