// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The taps of a filter whose outputs lie between the input items.

#pragma once

#include <cldsp/rate_ratio.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*
 * The taps of a filter whose outputs lie between the input items.
 *
 * Such a filter is the prototype at the input's rate, with its output interpolated by a
 * sinc with a Kaiser window: hc(t) = sum_k h[k] g(t - k - G), g(t) = 0 for |t| >= G. Its
 * output at the time i + u, where 0 <= u < 1, is sum_k hc(k + u) x[i - k]. It is later
 * than the prototype's by G items. The band up to half the output's rate passes within
 * 4e-7, and its images are below -135 dB.
 */

//! G of a rate, in items; 0 for a decimation.
std::size_t interpolation_delay(const rate_ratio& rate);

//! g(t) of a rate.
double interpolation_kernel(const rate_ratio& rate, double t);

//! The transform of g about its middle, which is real.
class interpolation_response
{
public:
    //! \param rate the rate of the outputs, no decimation
    explicit interpolation_response(const rate_ratio& rate);
    //! The response at a frequency in turns per input item, at most 1 in magnitude.
    double at(double frequency) const;

private:
    std::vector<double> d_values; // of g from its middle on
};

/*!
 * The taps hc(k + u) of the outputs m = phase, phase + P, ..., for which u is the
 * fraction of phase Q / P. They are rate.further_taps() more than the prototype has. For
 * a decimation the result is the prototype.
 */
std::vector<std::complex<float>>
interpolated_taps(const std::vector<std::complex<float>>& taps,
                  const rate_ratio& rate,
                  std::size_t phase);

} // namespace cldsp
