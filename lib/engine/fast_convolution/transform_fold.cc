// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold and the rotator around the inverse transforms of VkFFT.

#include "base/arithmetic.h"
#include "fast_convolution/block_pipeline.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"
#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"

#include <algorithm>
#include <cstdint>

namespace cldsp {

namespace {

//! The fold and the rotator of kernels/fast_convolution.cl around VkFFT's inverse
//! transforms.
class transform_fold final : public channel_fold
{
public:
    transform_fold(const std::shared_ptr<context>& device,
                   const cl::CommandQueue& queue,
                   const overlap_save_block& block,
                   const pipeline_shape& shape)
        : d_device(device),
          d_queue(queue),
          d_group(shape.group),
          d_fold_blocks(shape.fold_blocks),
          d_inverse(device,
                    queue,
                    fft_direction::inverse,
                    block.ifft_size,
                    shape.blocks * std::min(shape.channels, shape.channels_per_group)),
          d_folded(device)
    {
        const auto program = build_block_kernels(*device, shape);
        replace(d_fold, cl::Kernel(program, "fold"));
        replace(d_rotate, cl::Kernel(program, "rotate_and_trim"));
        for (const auto& kernel : { d_fold, d_rotate })
            check_group_size(*device, kernel, d_group, "vkfft");
    }

    void enqueue(const fold_round& call, std::vector<cl::Event>& events) override
    {
        const auto& block = call.block;
        const std::size_t transforms = call.channels * call.blocks;
        d_folded.reserve(d_inverse.rows_touched(transforms) * block.ifft_size *
                         transform_value_bytes);
        set_args(d_fold,
                 call.spectra,
                 call.group.responses.buffer(),
                 word(call.responses.stride()),
                 call.responses.runs(),
                 word(call.group.first),
                 call.tables.channels.buffer(),
                 word(call.first),
                 word(block.fft_size),
                 word(block.ifft_size),
                 word(call.blocks),
                 d_folded.buffer());
        enqueue_rows(d_fold,
                     block.ifft_size,
                     cl::NDRange(divide_up(call.blocks, d_fold_blocks), call.channels),
                     events);
        d_inverse.enqueue(d_folded.buffer(), transforms, events);
        set_args(d_rotate,
                 d_folded.buffer(),
                 word(block.ifft_size),
                 word(block.overlap),
                 word(call.blocks),
                 call.rotators,
                 word(call.first),
                 word(0),
                 word(call.outputs),
                 call.out.buffer,
                 word(call.out.offset / transform_value_bytes),
                 word(call.outputs));
        enqueue_rows(d_rotate, call.outputs, cl::NDRange(call.channels), events);
    }

private:
    //! Enqueues a kernel for some items of each row; the kernel leaves out surplus
    //! work-items. \param rows one or two dimensions of rows
    void enqueue_rows(const cl::Kernel& kernel,
                      std::size_t items,
                      const cl::NDRange& rows,
                      std::vector<cl::Event>& events)
    {
        const std::size_t width = round_up(items, d_group);
        const std::size_t* n = rows;
        const bool flat = rows.dimensions() == 1;
        events.push_back(enqueue_kernel(
            *d_device,
            d_queue,
            kernel,
            flat ? cl::NDRange(width, n[0]) : cl::NDRange(width, n[0], n[1]),
            flat ? cl::NDRange(d_group, 1) : cl::NDRange(d_group, 1, 1)));
    }

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    std::size_t d_group, d_fold_blocks;
    vkfft_plan d_inverse;
    device_buffer d_folded;
    cl::Kernel d_fold, d_rotate;
};

class transform_sizes final : public fold_sizes
{
public:
    bool by_rows() const override { return false; }
    response_layout responses(const overlap_save_block&) const override { return {}; }
    std::unique_ptr<channel_fold> make(const std::shared_ptr<context>& device,
                                       const cl::CommandQueue& queue,
                                       const overlap_save_block& block,
                                       const pipeline_shape& shape) const override
    {
        return std::make_unique<transform_fold>(device, queue, block, shape);
    }
};

class the_vkfft_transforms final : public opencl_fast_convolution_variant
{
public:
    the_vkfft_transforms()
        : opencl_fast_convolution_variant("vkfft", "overlap-save on VkFFT's transforms")
    {
    }

    bool folds_rows() const override { return false; }
    std::string kernel_file() const override { return "fast_convolution"; }
    std::shared_ptr<const fold_sizes> fold_sizes_for(const fold_problem&) const override
    {
        return std::make_shared<const transform_sizes>();
    }
    bool has_tunable() const override { return true; }
    fold_parameters parameters(const device_info& device,
                               const fast_convolution_problem&,
                               const pipeline_shape& usual) const override
    {
        constexpr std::int64_t max_group = 256;
        return { { { "group",
                     static_cast<std::int64_t>(usual.group),
                     powers_of_two(std::min(largest_group(device.limits), max_group)) },
                   { "fold_blocks",
                     static_cast<std::int64_t>(usual.fold_blocks),
                     { 1, 2, 4, 8 } } },
                 {} };
    }
    device_channel_work work(const plan_shape& shape,
                             const device_info&,
                             std::size_t ifft_size) const override
    {
        const channel_bytes bytes(shape, ifft_size);
        return { 2 * bytes.bins + 5 * bytes.outputs, 3 }; // fold, transform, rotator
    }
};

} // namespace

const opencl_fast_convolution_variant& vkfft_variant()
{
    static const auto& variant = *new the_vkfft_transforms;
    return variant;
}

} // namespace cldsp
