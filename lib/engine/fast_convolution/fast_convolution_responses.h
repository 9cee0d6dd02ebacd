/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/buffer.h"
#include "direct/fir_kernel.h"
#include "fast_convolution/overlap_save_block.h"
#include "opencl/staging.h"
#include "fft/vkfft_plan.h"

#include <complex>
#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

/*!
 * The channels' frequency responses on the device, scaled for the transforms: of each
 * channel the run of bins that the accuracy asks for.
 *
 * The channels are split into groups, each with a buffer of its own, so that thousands
 * fit into devices with small buffers.
 */
class fast_convolution_responses
{
public:
    /*!
     * \param forward the plan of the blocks' transforms
     * \param channels_per_group at most
     */
    fast_convolution_responses(std::shared_ptr<context> device,
                               const cl::CommandQueue& queue,
                               const overlap_save_block& block,
                               vkfft_plan& forward,
                               double accuracy,
                               std::size_t channels_per_group,
                               const std::vector<fir_setup>& channels);

    //! New taps or another frequency of one channel. \throws opencl_error
    void configure(const std::vector<fir_setup>& channels, std::size_t channel);

    struct group {
        std::size_t first, channels;
        device_buffer responses;
    };
    const std::vector<group>& groups() const { return d_groups; }
    //! Values between the responses of neighbouring channels.
    std::size_t stride() const { return d_stride; }
    //! (first bin, bins) of each channel.
    const cl::Buffer& runs() const { return d_run_table.buffer(); }
    //! Bins kept of a channel.
    std::size_t bins(std::size_t channel) const { return d_runs[channel].s[1]; }

private:
    void rebuild(const std::vector<fir_setup>& channels);
    bool place(const fir_setup& setup, std::size_t channel);
    cl_uint2 kept_run();
    void store_runs();

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    overlap_save_block d_block;
    vkfft_plan& d_forward;
    double d_accuracy;
    std::size_t d_channels_per_group;
    std::size_t d_stride = 0;
    std::vector<group> d_groups;
    std::vector<cl_uint2> d_runs;
    device_table d_run_table;
    device_buffer d_scratch;
    staged_copies d_copies;                    //!< between it and
    std::vector<std::complex<float>> d_values; //!< its values on the host
};

} // namespace cldsp
