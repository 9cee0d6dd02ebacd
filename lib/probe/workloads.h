/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_PROBE_WORKLOADS_H
#define INCLUDED_CLDSP_PROBE_WORKLOADS_H

#include "probe/running_blocks.h"
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! A kernel that a probe tunes by name.
struct probe_workload {
    std::string name;
    kernel_to_tune (*kernel)();
};

//! All that there are.
const std::vector<probe_workload>& probe_workloads();
//! Null: there is none of that name.
const probe_workload* find_probe_workload(const std::string& name);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_WORKLOADS_H */
