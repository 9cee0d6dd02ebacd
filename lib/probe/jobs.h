/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_PROBE_JOBS_H
#define INCLUDED_CLDSP_PROBE_JOBS_H

#include "probe/running_blocks.h"
#include <cldsp/device.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! The arguments of a tuning.
struct probe_request {
    std::string what;
    double budget_s;
    std::string strategy;

    //! \throws std::invalid_argument naming the parameter, its value and the range
    void check() const;
};

//! A kernel to tune, and where.
struct probe_job {
    ::cldsp::device_info device;
    kernel_to_tune kernel;
};

/*!
 * The devices of \p candidates that a probe works on: those where blocks run, else the
 * first OpenCL device, else the host. Equal devices share what is tuned and count once.
 */
std::vector<::cldsp::device_info>
probe_targets(const std::vector<::cldsp::device_info>& candidates);

/*!
 * The kernels that \p request, "blocks" or a workload, asks for on a device that is not
 * the host: for the blocks that run there, or if none does, for those that may. Those
 * with equal keys come once.
 */
std::vector<probe_job> probe_jobs(const probe_request& request,
                                  const ::cldsp::device_info& device);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_JOBS_H */
