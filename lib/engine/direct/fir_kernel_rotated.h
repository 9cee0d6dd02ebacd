// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the direct kernels with rotated taps have in common.

#pragma once

#include "direct/fir_kernel.h"

#include <string>

namespace cldsp {

/*!
 * The base class of the kernels that take rotated, reversed taps. Each has one table of
 * taps and one kernel, which also rotates the outputs.
 */
class fir_kernel_rotated : public fir_kernel
{
public:
    fir_kernel_rotated(std::string name, const fir_kernel_args& args);
    void configure(const filter_channel& setup) override;
    cl::Event enqueue(const device_range& in,
                      const device_range& out,
                      std::size_t outputs,
                      phase64 phase) final;
    std::size_t max_outputs() const override { return max_elements_per_call; }
    const std::string& name() const override { return d_name; }

protected:
    //! Returns the number of work-items for \p outputs outputs, and sets \p group to the
    //! number of work-items in a group.
    virtual cl::NDRange prepare(std::size_t outputs, cl::NDRange& group) = 0;
    //! Sets the arguments that follow the number of outputs, from \p index on.
    virtual void
    set_last_args(cl_uint index, const cl_uint2& phase, const cl_uint2& step) = 0;
    void upload_taps();

    const std::string d_name;
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    filter_channel d_setup;
    cl::Kernel d_kernel;
    device_table d_taps;
};

} // namespace cldsp
