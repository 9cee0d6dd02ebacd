// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Estimates which fraction of its bins a filter needs.

#pragma once

#include <complex>
#include <vector>

namespace cldsp {

/*!
 * The fraction (0 to 1) of the bins that fast convolution has to keep: those where the
 * gain of the filter exceeds \p accuracy times its largest gain. It is estimated at 64 to
 * 512 frequencies.
 */
double kept_bins(const std::vector<std::complex<float>>& taps, double accuracy);

} // namespace cldsp
