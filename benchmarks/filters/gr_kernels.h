// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// GNU Radio's own filter kernels as candidates of a comparison.

#pragma once

#include "filters/engine_candidates.h"

#include <string>

namespace cldsp::bench {

//! The kernel that GNU Radio's xlating FIR block runs on such input: "fir_filter_ccc",
//! "fir_filter_fcc" or "fir_filter_scc".
std::string gr_fir_name(sample_type input);

/*!
 * Adds GNU Radio's own filter kernels, each followed by the rotator, in a loop without a
 * flowgraph, on one thread. The kernels are the one that gr_fir_name() names, and for
 * complex input also fft_filter_ccc.
 */
void add_gr_kernels(const workload& work, const stream& data, candidate_set& to);

} // namespace cldsp::bench
