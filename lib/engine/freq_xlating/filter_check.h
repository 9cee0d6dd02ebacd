// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares a filter's outputs with those that the host computes.

#pragma once

#include "filter/filter_executor.h"
#include "planning/output_check.h"

#include <complex>
#include <cstddef>

namespace cldsp {

/*!
 * Compares some of a filter's outputs with those that the host computes. The phase of the
 * first output is 0.
 *
 * \param in the oldest item in the window of the first output
 * \param got the outputs of the filter
 * \param to collects the differences
 */
void compare_filter_outputs(const filter_channel& setup,
                            const void* in,
                            const std::complex<float>* got,
                            std::size_t outputs,
                            output_comparison& to);

} // namespace cldsp
