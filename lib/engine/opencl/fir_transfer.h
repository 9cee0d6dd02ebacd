/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/commands.h"

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * The way of a call's items to the device and of its outputs back.
 *
 * One round: input(), output(), the kernel, then finish(), which returns when the outputs
 * are where the caller wants them. time() is what the round's copies and maps took.
 */
class fir_transfer
{
public:
    virtual ~fir_transfer() = default;
    virtual device_range input(const void* data, std::size_t bytes) = 0;
    virtual device_range output(void* data, std::size_t bytes) = 0;
    virtual void finish(const cl::Event& kernel) = 0;
    virtual void set_stream_memory(memory_region, memory_region) {}
    virtual double time() const = 0; //!< seconds, of the last round
    virtual const std::string& name() const = 0;
};

/*!
 * \param name "copy" (write and read commands on staging memory of the engine's own),
 *        "mapped" (staging buffers that the driver allocated, so that it can reach them
 *        without a further copy), or "zero_copy" (buffers over the caller's own memory)
 */
std::unique_ptr<fir_transfer> make_fir_transfer(const std::string& name,
                                                std::shared_ptr<context> device,
                                                const cl::CommandQueue& queue);

/*!
 * What "zero_copy" wraps for a call: the stream's memory where the data are in it, the
 * device can take it, and kernels reach all of it with offsets of 32 bits; else the data
 * alone, from the boundary before them on.
 */
memory_region region_to_wrap(const device_limits& limits,
                             const memory_region& stream,
                             const void* data,
                             std::size_t bytes);

} // namespace cldsp
