// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tables of the engine's benchmark: comparison, ladder and retunes.

#pragma once

#include "filters/benchmark.h"

namespace cldsp::bench {

//! Measures W1 to W4 and R1 at every size of call, with all implementations side by side.
void compare(benchmark_run& run, const extension& more);

//! Measures each variant on W1 with 8340 items per call, in ms per call, for each
//! transfer.
void climb_ladder(benchmark_run& run, const extension& more);

//! Measures the engine on W1 with 8340 items per call, with and without retunes.
void retune_engine(benchmark_run& run);

} // namespace cldsp::bench
