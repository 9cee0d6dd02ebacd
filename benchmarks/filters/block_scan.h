// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution on the host with the fastest of all block sizes.

#pragma once

#include "filters/bank_candidates.h"

#include <memory>

namespace cldsp::bench {

/*!
 * Fast convolution on one thread of the host, with the fastest of all block sizes that
 * suit a call, whatever the planner predicts for them. Null if no block size suits the
 * call.
 *
 * \param seconds the least time of the calls with each block size
 * \param coarse tries only a few block sizes
 * \param registry the registry in which this machine was calibrated
 */
std::unique_ptr<candidate> scan_blocks(const bank_workload& work,
                                       const call_memory& memory,
                                       double accuracy,
                                       double seconds,
                                       bool coarse,
                                       context_registry& registry);

} // namespace cldsp::bench
