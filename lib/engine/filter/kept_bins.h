/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <complex>
#include <vector>

namespace cldsp {

/*!
 * The part of all frequencies at which a filter's response exceeds \p accuracy, relative
 * to its largest: what fast convolution has to keep. Estimated at some hundred points.
 */
double kept_bins(const std::vector<std::complex<float>>& taps, double accuracy);

} // namespace cldsp
