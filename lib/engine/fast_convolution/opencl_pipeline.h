/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fast_convolution/channel_fold.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/forward_transform.h"
#include "filter/filter_executor.h"
#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/pinned_transfer.h"
#include "opencl/staging.h"
#include "opencl/transfer.h"

#include <cldsp/context.h>
#include <cldsp/memory_region.h>

#include <complex>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A queue, and the transforms, kernels and buffers that compute some blocks of a call on
 * it. A round is an enqueue() and the finish() that follows.
 *
 * Several pipelines work on pieces of a call in turns, so that transfers and kernels
 * overlap.
 */
class opencl_pipeline
{
public:
    opencl_pipeline(std::shared_ptr<context> device,
                    const std::string& transfer,
                    std::shared_ptr<pinned_stream> stream,
                    const overlap_save_block& block,
                    const pipeline_shape& shape);

    forward_transform& forward() { return *d_forward; }
    //! Whether VkFFT transforms the blocks.
    bool uses_vkfft() const { return d_uses_vkfft; }
    const cl::CommandQueue& queue() const { return d_queue; }
    const std::string& transfer_name() const { return d_transfer->name(); }
    void set_stream_memory(memory_region in, memory_region out)
    {
        d_transfer->set_stream_memory(in, out);
    }

    /*!
     * Enqueues the outputs \p first to \p first + \p outputs - 1 of a call.
     *
     * \param active the channels that are active, in ascending order
     * \param tables the same channels on the device
     * \param rotators for each active channel, the high and the low word of the phase at
     *        the first of these outputs, then those of the step from output to output
     */
    void enqueue(const channel_responses& responses,
                 const filter_call& call,
                 const std::vector<cl_uint>& active,
                 const active_tables& tables,
                 const std::vector<cl_uint4>& rotators,
                 std::size_t first,
                 std::size_t outputs);
    //! Waits until the outputs are in the memory of the call.
    void finish();
    //! Checks how every command of the rounds so far has ended. \throws opencl_error
    void check() const { d_device->check_commands(d_queue); }
    //! Waits for the commands that an error has left in flight. Does not throw.
    void abandon() noexcept { d_device->drain(d_queue); }
    //! Waits for the commands in flight. \returns whether the device is lost after that
    bool device_is_lost() const noexcept { return d_device->is_lost_after(d_queue); }

    std::size_t blocks() const { return d_blocks; } //!< of the last round
    const std::vector<cl::Event>& kernels() const { return d_kernels; } //!< likewise
    double longest_kernel() const { return d_longest_kernel; } //!< of the last round
    double transfer_time() const { return d_transfer_time; }   //!< of the last round

private:
    void take_items(const filter_call& call, std::size_t first, std::size_t outputs);
    //! The active channels of a group: their number, and the place of the first of them
    //! among all active channels.
    struct active_part {
        std::size_t group, first, count;
        std::size_t first_tile = 0;
    };
    void find_parts(const channel_responses& responses,
                    const std::vector<cl_uint>& active);

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    overlap_save_block d_block;
    pipeline_shape d_shape;
    std::unique_ptr<forward_transform> d_forward;
    bool d_uses_vkfft = false;
    std::unique_ptr<channel_fold> d_fold;
    std::unique_ptr<device_transfer> d_transfer;
    //! One object for each part; none for a single channel.
    std::deque<channel_outputs> d_outputs;
    device_buffer d_spectra, d_rotators;
    staged_copies d_copies; //!< copies the rotators

    // The state of the round in flight.
    std::size_t d_blocks = 0;
    std::vector<active_part> d_parts;
    std::vector<cl::Event> d_kernels;
    std::vector<cl::Event> d_writes;
    std::vector<std::complex<float>*> d_places; // of the active channels
    double d_longest_kernel = 0, d_transfer_time = 0;
};

//! Builds kernels/fast_convolution.cl, the kernels around VkFFT's transforms.
cl::Program build_block_kernels(context& device, const pipeline_shape& shape);

} // namespace cldsp
