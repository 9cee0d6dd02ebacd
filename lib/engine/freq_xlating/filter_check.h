/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_executor.h"
#include "planning/output_check.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * What fast convolution may differ by, by what it may leave out of the filter's response,
 * and at least max_output_error. Trial inputs are white noise.
 */
double fast_convolution_bound(const std::vector<std::complex<float>>& taps,
                              double accuracy);

/*!
 * Compares a filter's outputs, of phase 0 for the first, with the host's, for some of
 * them.
 *
 * \param in the oldest item of the first output's window
 */
void compare_filter_outputs(const filter_channel& setup,
                            const void* in,
                            const std::complex<float>* got,
                            std::size_t outputs,
                            output_comparison& to);

} // namespace cldsp
