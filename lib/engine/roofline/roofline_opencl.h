/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/held_memory.h"
#include "roofline/roofline_steps.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * What the measurements of an OpenCL device share: its queue, programs of the kernel file
 * `roofline`, and times of runs.
 */
class opencl_meter
{
public:
    explicit opencl_meter(std::shared_ptr<context> device);

    const context& device() const { return *d_device; }
    const std::shared_ptr<context>& shared_device() const { return d_device; }
    const device_limits& limits() const { return d_device->limits(); }
    const cl::CommandQueue& queue() const { return d_queue; }
    bool is_cpu() const { return d_device->device().kind == device_kind::cpu; }

    //! A kernel of the file, built with \p options.
    cl::Kernel kernel(const std::string& name, const std::string& options) const;
    //! \throws opencl_error
    held_memory<cl::Buffer> buffer(std::size_t bytes,
                                   cl_mem_flags flags = CL_MEM_READ_WRITE) const;
    //! Enqueues a kernel.
    cl::Event
    launch(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;
    //! Runs a kernel. \returns seconds by the device's clock, or by the host's where the
    //! device has none
    double run(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;
    //! As run(), of what each core of a CPU device does by itself; see core_watch.
    double
    run_on_cores(const cl::Kernel& kernel, std::size_t items, std::size_t group) const;

    //! Work-items in a group that suit the device.
    std::size_t group() const;
    //! Work-items that keep all of it busy, a multiple of group().
    std::size_t items() const;

private:
    std::shared_ptr<context> d_device;
    device_queue d_queue;
};

//! Measures one part and writes its figures.
void measure_opencl_arithmetic(const opencl_meter& meter,
                               roofline_steps& steps,
                               roofline& r);
void measure_opencl_memory(const opencl_meter& meter, roofline_steps& steps, roofline& r);
void measure_opencl_transfers(const opencl_meter& meter,
                              roofline_steps& steps,
                              roofline& r);
void measure_opencl_launches(const opencl_meter& meter,
                             roofline_steps& steps,
                             roofline& r);

//! fp32 operations a second. \throws opencl_error, cl::Error
double opencl_fp32_rate(const opencl_meter& meter, double seconds);

/*!
 * A figure, or 0 with a warning if the device refuses what \p measure does.
 *
 * \param name of the figure, for the progress
 * \param measure gets the seconds it may take
 */
double figure_or_none(const opencl_meter& meter,
                      roofline_steps& steps,
                      const std::string& name,
                      const std::function<double(double)>& measure);

} // namespace cldsp
