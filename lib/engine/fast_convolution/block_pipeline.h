// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fast convolution by blocks on a device: forward transforms, then a fold.

#pragma once

#include "fast_convolution/channel_fold.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/forward_transform.h"
#include "fast_convolution/opencl_pipeline.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A pipeline with the transforms and kernels that compute some blocks of a call.
class block_pipeline final : public opencl_pipeline
{
public:
    block_pipeline(std::shared_ptr<context> device,
                   const std::string& transfer,
                   std::shared_ptr<pinned_stream> stream,
                   const overlap_save_block& block,
                   const pipeline_shape& shape);

    forward_transform& forward() { return *d_forward; }
    //! Whether VkFFT transforms the blocks.
    bool uses_vkfft() const { return d_uses_vkfft; }

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

    const overlap_save_block d_block;
    const pipeline_shape d_shape;
    std::unique_ptr<forward_transform> d_forward;
    bool d_uses_vkfft = false;
    std::unique_ptr<channel_fold> d_fold;
    device_buffer d_spectra;
    std::vector<active_part> d_parts; // of the round in flight
};

//! Builds kernels/fast_convolution.cl, the kernels around VkFFT's transforms.
cl::Program build_block_kernels(context& device, const pipeline_shape& shape);

} // namespace cldsp
