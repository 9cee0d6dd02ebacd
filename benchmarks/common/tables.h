/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/benchmark.h"

namespace cldsp::bench {

//! W1 to W4 at every size of call, all implementations side by side.
void compare(benchmark_run& run, const extension& more);

//! The variants at 8340 items a call of W1, in ms a call, by transfer.
void climb_ladder(benchmark_run& run, const extension& more);

//! The engine on W1 at 8340 items a call, with and without retunes.
void retune_engine(benchmark_run& run);

} // namespace cldsp::bench
