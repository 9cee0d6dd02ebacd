// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Judges the choice that is made automatically by all choices that can be forced.

#pragma once

#include "filters/benchmark.h"

namespace cldsp::bench {

//! Compares auto's choice with every forced choice, on the workloads and on random
//! problems, at the smallest size of call that was asked for. Also compares the first use
//! of a filter with a later one.
void judge_auto(benchmark_run& run);

} // namespace cldsp::bench
