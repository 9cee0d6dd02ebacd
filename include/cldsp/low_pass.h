// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Designs a low pass filter from its band edges and its attenuation.

#pragma once

#include <cstddef>
#include <vector>

namespace cldsp {

//! The specification of a low pass filter.
struct low_pass_spec {
    //! The range of the attenuation in dB.
    static constexpr double min_attenuation = 20, max_attenuation = 120;
    static constexpr std::size_t max_taps = 4194304;

    double sampling_freq = 1; //!< in Hz, above 0 and finite
    double pass_freq = 0;     //!< the end of the passband in Hz, above 0
    //! The begin of the stopband in Hz, at most sampling_freq / 2, and at least
    //! min_transition() above pass_freq.
    double stop_freq = 0;
    //! The attenuation of the stopband in dB.
    double attenuation = 60;

    //! The narrowest transition from the passband to the stopband, in Hz, for which
    //! max_taps are enough at this sampling_freq and attenuation.
    double min_transition() const;
};

/*!
 * The taps of a low pass filter, which are symmetric and odd in number; their sum is 1.
 * The gain of the stopband is at most 10^(-attenuation / 20), and the gain of the
 * passband differs from 1 by at most twice as much.
 *
 * This is the window method with Kaiser's window and his formulas (J. F. Kaiser,
 * "Nonrecursive digital filter design using the I0-sinh window function", IEEE
 * International Symposium on Circuits and Systems, 1974). The formula for the length is
 * approximate, so that the response of the rounded taps is checked, and the filter is
 * made longer until the response is as specified.
 *
 * \throws std::invalid_argument if a member of \p spec is out of its range
 */
std::vector<float> design_low_pass(const low_pass_spec& spec);

} // namespace cldsp
