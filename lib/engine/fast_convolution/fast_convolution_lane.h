/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/bank_executor.h"
#include "opencl/channel_outputs.h"
#include "fast_convolution/fast_convolution_responses.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "opencl/fir_transfer.h"
#include "opencl/staging.h"

#include <complex>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A queue with what computes some blocks of a call on it. Two of them work on pieces of
 * a call in turns, so that transfers and kernels overlap.
 */
class fast_convolution_lane
{
public:
    fast_convolution_lane(std::shared_ptr<context> device,
                          const std::string& transfer,
                          const overlap_save_block& block,
                          const lane_shape& shape);

    vkfft_plan& forward() { return d_forward; }
    const cl::CommandQueue& queue() const { return d_queue; }
    const std::string& transfer_name() const { return d_transfer->name(); }
    void set_stream_memory(memory_region in, memory_region out)
    {
        d_transfer->set_stream_memory(in, out);
    }

    /*!
     * Enqueues the outputs \p first to \p first + \p outputs - 1 of a call.
     *
     * \param rotators (high, low) words of each channel's phase at the first of these
     * outputs and of its step
     */
    void enqueue(const fast_convolution_responses& responses,
                 const bank_call& call,
                 const std::vector<cl_uint4>& rotators,
                 std::size_t first,
                 std::size_t outputs);
    //! Waits until the outputs are in their places.
    void finish();
    //! Looks at how every command of the rounds so far ended. \throws opencl_error
    void check() const { d_device->check_commands(d_queue); }
    //! Waits for what an error has left in flight. Does not throw.
    void abandon() noexcept { d_device->drain(d_queue); }
    //! Waits for what is in flight; \returns whether the device is lost, then.
    bool device_is_lost() const noexcept { return d_device->is_lost_after(d_queue); }

    std::size_t blocks() const { return d_blocks; }            //!< of the last round
    double kernel_time() const { return d_kernel_time; }       //!< of the last round
    double longest_kernel() const { return d_longest_kernel; } //!< of the last round
    double transfer_time() const { return d_transfer_time; }   //!< of the last round

private:
    void enqueue_kernel(cl::Kernel& kernel, const cl::NDRange& items);
    void take_items(const bank_call& call, std::size_t first, std::size_t outputs);
    void fold_and_rotate(const fast_convolution_responses& responses,
                         std::size_t group,
                         const device_range& out);

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    overlap_save_block d_block;
    lane_shape d_shape;
    vkfft_plan d_forward, d_inverse;
    std::unique_ptr<fir_transfer> d_transfer;
    std::deque<channel_outputs> d_outputs; //!< one a group; none for a single channel
    device_buffer d_spectra, d_folded, d_rotators;
    staged_copies d_copies; //!< of the rotators
    cl::Kernel d_gather, d_fold, d_rotate;

    // Of the round in flight.
    std::size_t d_blocks = 0, d_round_outputs = 0;
    std::vector<cl::Event> d_kernels;
    std::vector<cl::Event> d_writes;
    std::vector<std::complex<float>*> d_places;
    double d_kernel_time = 0, d_longest_kernel = 0, d_transfer_time = 0;
};

} // namespace cldsp
