/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/benchmark.h"

namespace cldsp::bench {

//! Blocks between a source and a null sink, with GNU Radio's default buffers.
void compare_flowgraphs(benchmark_run& run);

//! The block on W1, with its frequency set 1000 times a second from another thread.
void retune_flowgraph(benchmark_run& run);

} // namespace cldsp::bench
