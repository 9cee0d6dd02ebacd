// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of fast convolution on the host at several accuracies.

#pragma once

#include "filters/benchmark.h"

namespace cldsp::bench {

//! Measures fast convolution on the host at several accuracies, on one thread and on all
//! cores, beside the baseline and the other implementations.
void compare_fast_convolution(benchmark_run& run, const extension& more);

} // namespace cldsp::bench
