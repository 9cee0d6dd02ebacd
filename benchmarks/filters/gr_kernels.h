/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/engine_candidates.h"

namespace cldsp::bench {

/*!
 * Adds GNU Radio's own filter kernels, each followed by the rotator, in a loop without a
 * flowgraph, on one thread. The kernels are fir_filter_ccc, which
 * freq_xlating_fir_filter_ccc runs, and fft_filter_ccc.
 */
void add_gr_kernels(const workload& work, const stream& data, candidate_set& to);

} // namespace cldsp::bench
