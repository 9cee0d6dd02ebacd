/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_executor.h"
#include "filter/plan_shape.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The direct algorithm on the host, for each channel a host_fir of its own. The pool's
 * threads share the channels, of calls that are long enough.
 *
 * \param variant "volk", "simd" or "auto"
 * \throws std::invalid_argument
 */
std::unique_ptr<filter_executor>
make_host_direct(const std::string& variant,
                 const std::vector<filter_channel>& channels,
                 std::shared_ptr<thread_pool> pool,
                 const host_costs& costs = {});

} // namespace cldsp
