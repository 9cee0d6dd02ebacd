/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/benchmark.h"

namespace cldsp::bench {

//! Fast convolution on the host at several accuracies, one thread and all cores, beside
//! the baseline and the other peers.
void compare_fast_convolution(benchmark_run& run, const extension& more);

} // namespace cldsp::bench
