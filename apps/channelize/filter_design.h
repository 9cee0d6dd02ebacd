/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <complex>
#include <cstddef>
#include <string>
#include <vector>

namespace cldsp::app {

constexpr double pi = 3.14159265358979323846;

//! The specification of a low pass filter.
struct low_pass_wish {
    double sampling_freq = 1; //!< in Hz
    double pass_freq = 0;     //!< the end of the passband in Hz, above 0
    double stop_freq = 0;     //!< the begin of the stopband in Hz, above pass_freq
    //! The attenuation of the stopband in dB. The gain of the passband differs from 1 by
    //! at most twice the gain of the stopband.
    double stopband = 60;
};

//! The range of low_pass_wish::stopband.
constexpr double min_stopband = 20, max_stopband = 120;

/*!
 * The taps of a low pass filter, which are symmetric and odd in number; their sum is 1.
 *
 * The window is Kaiser's. His formula for the length is met only roughly, so that the
 * response is checked and the filter made longer until it is as wished.
 *
 * \throws std::invalid_argument for a wish that is out of range, or takes more than 2^22
 * taps
 */
std::vector<std::complex<float>> design_low_pass(const low_pass_wish& wish);

} // namespace cldsp::app
