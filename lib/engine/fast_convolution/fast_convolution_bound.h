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
 * The largest error that fast convolution may have on white noise, the trial input,
 * relative to the largest output. It follows from the part of the response that
 * \p accuracy allows to be left out, and is at least max_output_error.
 */
double fast_convolution_bound(const std::vector<std::complex<float>>& taps,
                              double accuracy);

} // namespace cldsp
