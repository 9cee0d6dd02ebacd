/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/buffer.h"

#include <complex>
#include <cstddef>
#include <memory>

namespace cldsp {

/*!
 * The way of several channels' outputs from the device: one buffer there, and from
 * mapped memory to each channel's place. See fir_transfer for a single one.
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
