/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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
 * A radio whose samples are not read in time loses some. If it tells the times of its
 * samples, as many zeros replace them, so that sample n keeps its time. One that gives no
 * sample for some seconds has failed.
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
    std::string arguments; //!< which choose it
    std::string name;
    std::string problem; //!< why it tells no more, such as that it is in use; or empty
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
