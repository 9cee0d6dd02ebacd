/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/bank_candidates.h"

#include <memory>

namespace cldsp::bench {

/*!
 * Fast convolution on the host on one thread, with the fastest block size of all that
 * suit a call, whatever the planner thinks of them. Null if none does.
 *
 * \param seconds of calls with each size, at least
 * \param coarse few sizes only
 * \param registry that this machine was calibrated in
 */
std::unique_ptr<candidate> scan_blocks(const bank_workload& work,
                                       const call_memory& memory,
                                       double accuracy,
                                       double seconds,
                                       bool coarse,
                                       context_registry& registry);

} // namespace cldsp::bench
