/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/buffer.h"
#include "opencl/commands.h"

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * Brings a call's items to the device and its outputs back. Implementations derive from
 * transfer_round.
 *
 * One round: input(), output(), the kernel, then finish(), which returns when the outputs
 * are where the caller wants them. time() is what the round's copies and maps took.
 */
class device_transfer
{
public:
    virtual ~device_transfer() = default;
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
std::unique_ptr<device_transfer> make_device_transfer(const std::string& name,
                                                      std::shared_ptr<context> device,
                                                      const cl::CommandQueue& queue);

/*!
 * The memory that "zero_copy" wraps for a call: the stream's where the data are in it,
 * the device can take it, and kernels reach all of it with offsets of 32 bits; else the
 * data alone, from the boundary before them on.
 */
memory_region region_to_wrap(const device_limits& limits,
                             const memory_region& stream,
                             const void* data,
                             std::size_t bytes);

/*!
 * Brings several channels' outputs back: all come from one buffer on the device, through
 * mapped memory, and then each channel's go to their own place. A device_transfer has
 * one place for all of them.
 */
class channel_outputs
{
public:
    channel_outputs(std::shared_ptr<context> device, const cl::CommandQueue& queue);

    //! Room on the device for all channels' outputs, one channel after another.
    const cl::Buffer& reserve(std::size_t channels, std::size_t outputs);
    //! Starts the transfer, after the kernels that are enqueued.
    void enqueue();
    //! Waits for enqueue()'s transfer and puts the outputs into their places.
    void finish(std::complex<float>* const* out);
    std::size_t channels() const { return d_channels; }
    double time() const { return d_time; } //!< seconds, of the last round

private:
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    bool d_in_place; //!< the kernels write what the host maps
    device_buffer d_results;
    mapped_buffer d_staging;
    void* d_at = nullptr; //!< where the host sees the staging memory
    std::size_t d_channels = 0, d_outputs = 0;
    cl::Event d_done;
    double d_time = 0;
};

} // namespace cldsp
