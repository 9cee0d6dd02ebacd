/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/benchmark.h"

namespace cldsp::bench {

//! Blocks in flowgraphs with default buffers, W1 to W5, beside the in-tree blocks and
//! beside the engine's own loop of the same plan on calls of the same size.
void compare_default_buffers(benchmark_run& run);

} // namespace cldsp::bench
