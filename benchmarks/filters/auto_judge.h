/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/benchmark.h"

namespace cldsp::bench {

//! Holds auto's choice against every forced one, on W1 to W6 and on random problems, at
//! the smallest call asked for; and its first use against a later one.
void judge_auto(benchmark_run& run);

} // namespace cldsp::bench
