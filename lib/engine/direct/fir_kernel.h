/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/filter_executor.h"
#include "opencl/commands.h"
#include "opencl/device_table.h"

#include <cldsp/context.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * One rung of the ladder: a kernel, its tables, and how it is enqueued. The data's way to
 * the device and back is a device_transfer's business.
 */
class fir_kernel
{
public:
    virtual ~fir_kernel() = default;
    //! Taps or frequency changed; no command is in flight.
    virtual void configure(const filter_channel& setup) = 0;
    //! Enqueues the kernel for \p outputs outputs, the first with \p phase.
    virtual cl::Event enqueue(const device_range& in,
                              const device_range& out,
                              std::size_t outputs,
                              phase64 phase) = 0;
    //! Outputs that one enqueue can take at most, at least 1.
    virtual std::size_t max_outputs() const = 0;
    virtual const std::string& name() const = 0;
};

//! What every rung is made from.
struct fir_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    const filter_channel& setup;
    const tuning_values& tuned; //!< see make_opencl_direct()
};

/*!
 * \param variant the name of an OpenCL variant
 * \throws std::invalid_argument that says why if the device or the problem does not fit
 */
std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args);

// One each family.
std::unique_ptr<fir_kernel> make_fir_kernel_cpu(const fir_kernel_args& args);
std::unique_ptr<fir_kernel> make_fir_kernel_gpu(const fir_kernel_args& args);
std::unique_ptr<fir_kernel> make_fir_kernel_ladder(const std::string& variant,
                                                   const fir_kernel_args& args);

} // namespace cldsp
