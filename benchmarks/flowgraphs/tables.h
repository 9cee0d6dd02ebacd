// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tables of blocks in flowgraphs.

#pragma once

#include "filters/benchmark.h"

namespace cldsp::bench {

//! Measures blocks between a source and a null sink, with GNU Radio's default buffers.
void compare_flowgraphs(benchmark_run& run);

//! Measures the block on W1 while another thread sets its frequency 1000 times per
//! second.
void retune_flowgraph(benchmark_run& run);

} // namespace cldsp::bench
