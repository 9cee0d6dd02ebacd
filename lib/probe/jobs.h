// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernels that a probe tunes, and the devices it tunes them on.

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

//! A kernel to tune, and the device to tune it on.
struct probe_job {
    ::cldsp::device_info device;
    kernel_to_tune kernel;
};

/*!
 * The devices of \p candidates on which a probe works: those on which blocks run. If
 * there are none, it is the first OpenCL device, or the host if there is no OpenCL
 * device. Equal devices share tuned values, and count once.
 */
std::vector<::cldsp::device_info>
probe_targets(const std::vector<::cldsp::device_info>& candidates);

/*!
 * The kernels that \p request asks for on a device that is not the host. If it asks for
 * "blocks", they are the kernels of the blocks that run on the device, or if there are no
 * such blocks, of those that may run there. Otherwise it names a workload. Kernels with
 * equal keys come once.
 */
std::vector<probe_job> probe_jobs(const probe_request& request,
                                  const ::cldsp::device_info& device);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_PROBE_JOBS_H */
