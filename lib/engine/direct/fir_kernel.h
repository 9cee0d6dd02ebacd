// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of an OpenCL kernel of the direct algorithm.

#pragma once

#include "filter/filter_executor.h"
#include "opencl/commands.h"
#include "opencl/device_table.h"

#include <cldsp/context.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * One OpenCL variant of the direct algorithm: a kernel, its tables, and the way it is
 * enqueued. A device_transfer brings the items to the device and the outputs back.
 */
class fir_kernel
{
public:
    virtual ~fir_kernel() = default;
    //! Takes new taps or a new frequency. No command may be in flight.
    virtual void configure(const filter_channel& setup) = 0;
    //! Enqueues the kernel for \p outputs outputs, the first of which has the phase
    //! \p phase.
    virtual cl::Event enqueue(const device_range& in,
                              const device_range& out,
                              std::size_t outputs,
                              phase64 phase) = 0;
    //! The largest number of outputs of one enqueue, at least 1.
    virtual std::size_t max_outputs() const = 0;
    virtual const std::string& name() const = 0;
};

//! The arguments that every fir_kernel is made from.
struct fir_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    const filter_channel& setup;
    const tuning_values& tuned; //!< see make_opencl_direct()
};

/*!
 * \param variant the name of an OpenCL variant; "auto": the one that suits the device
 * \throws std::invalid_argument with the reason, if the device or the problem does not
 *         fit
 */
std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args);

} // namespace cldsp
