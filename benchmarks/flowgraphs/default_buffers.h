// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares blocks in flowgraphs of default buffers with in-tree blocks and plain calls.

#pragma once

#include "filters/benchmark.h"

namespace cldsp::bench {

//! Compares the speed of the blocks in flowgraphs with default buffers with two others:
//! the in-tree blocks, and a loop that calls the engine with the same plan and with calls
//! of the same size.
void compare_default_buffers(benchmark_run& run);

} // namespace cldsp::bench
