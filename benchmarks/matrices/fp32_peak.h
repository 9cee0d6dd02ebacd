/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <memory>

namespace cldsp::bench {

//! Measures the peak rate of a device: multiply-adds in registers, and nothing else.
class fp32_peak
{
public:
    explicit fp32_peak(std::shared_ptr<context> device);
    //! Operations per second, by the profiling events of one call of some milliseconds.
    double measure();

private:
    double run(cl_uint passes);

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    cl::Kernel d_kernel;
    cl::Buffer d_out;
    std::size_t d_items, d_group, d_width;
    cl_uint d_passes = 256;
};

} // namespace cldsp::bench
