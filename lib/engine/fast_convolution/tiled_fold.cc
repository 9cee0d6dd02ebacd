// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Sizes the tiles for a device's registers and memory, and enqueues the fold.

#include "fast_convolution/tiled_fold.h"

#include "base/arithmetic.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "opencl/commands.h"
#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

//! Chooses the number of rows of a step: an incomplete step at the end costs as much as a
//! whole one. Returns whether any number fits the registers, with real gains, and the
//! local memory.
bool choose_step(tiled_fold_shape& shape,
                 std::size_t decimation,
                 std::size_t max_steps,
                 std::size_t local_memory)
{
    // Of an NVIDIA H200: the time that a step takes besides its rows, in rows; and the
    // sums, gains and bins of a work-item that fit its registers, in floats.
    constexpr std::size_t overhead = 2, max_floats = 200;
    std::size_t best = 0, least = 0;
    for (std::size_t step = 1; step <= std::min(max_steps, decimation); ++step) {
        shape.step = step;
        const std::size_t steps = divide_up(decimation, step);
        const std::size_t cost = steps * (step + overhead);
        const std::size_t floats = 2 * shape.item_channels * shape.blocks +
                                   step * shape.item_channels +
                                   2 * step * shape.blocks / shape.teams;
        if (step * shape.blocks % shape.teams == 0 && floats <= max_floats &&
            shape.local_bytes() <= local_memory && (!best || cost <= least)) {
            best = step;
            least = cost;
        }
    }
    shape.step = std::max<std::size_t>(best, 1);
    return best > 0;
}

} // namespace

std::size_t tiled_fold_shape::local_bytes() const
{
    return 2 * step * blocks * lanes * transform_value_bytes;
}

std::size_t tiled_fold_shape::response_rows(std::size_t decimation) const
{
    // A range may begin at any row, and its last step may begin at the last row.
    return decimation + step - 1;
}

std::string tiled_fold_shape::build_options(bool real_gains) const
{
    const std::string text =
        "-DROWS=" + std::to_string(rows) + " -DLANES=" + std::to_string(lanes) +
        " -DCHANNELS=" + std::to_string(channels()) +
        " -DITEM_CHANNELS=" + std::to_string(item_channels) +
        " -DBLOCKS=" + std::to_string(blocks) + " -DSTEP=" + std::to_string(step);
    return real_gains ? text + " -DREAL_GAINS" : text;
}

tiled_fold_shape suggested_tiled_fold(device_kind kind,
                                      const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation,
                                      std::size_t channels)
{
    // Measured on an NVIDIA H200, where what tiles read from the nearest cache limits the
    // fold: tiles of 64 channels and 8 blocks, with 32 sums in the registers of a
    // work-item. More sums leave no registers for the gains of a long step. A CPU has
    // registers for few sums, as a small GPU, and its compiler takes long for many.
    const bool few = kind == device_kind::cpu || has_few_registers(limits);
    const std::size_t max_channels = few ? 2 : 4, max_teams = few ? 2 : 16;
    const std::size_t usual_items = few ? 32 : 256, max_lanes = few ? 16 : 32;
    const std::size_t usual_blocks = few ? 2 : 8, max_steps = few ? 2 : 14;
    const std::size_t max_items = power_of_two_up_to(std::max<std::size_t>(
        1, std::min(limits.max_work_group_size, limits.max_work_item_sizes[0])));
    tiled_fold_shape shape;
    shape.rows = rows;
    shape.blocks = usual_blocks;
    shape.item_channels = std::min(max_channels, power_of_two_up_to(channels));
    shape.teams = std::min({ max_teams,
                             power_of_two_up_to(divide_up(channels, shape.item_channels)),
                             max_items });
    shape.lanes =
        std::min({ rows, max_lanes, std::min(usual_items, max_items) / shape.teams });
    while (!choose_step(shape, decimation, max_steps, limits.local_memory) &&
           (shape.teams > shape.blocks || shape.lanes > 1))
        (shape.teams > shape.blocks ? shape.teams : shape.lanes) /= 2;
    shape.transform = suggested_fused_fold(limits, rows, 1, 1);
    return shape;
}

separate_fold::separate_fold(std::shared_ptr<context> device,
                             const cl::CommandQueue& queue,
                             const std::string& variant,
                             const fused_fold_shape& transform)
    : d_device(std::move(device)), d_queue(queue), d_shape(transform), d_folded(d_device)
{
    set_inverse_roots(d_roots, d_device, d_queue, d_shape);
    replace(d_transform,
            cl::Kernel(d_device->build("fused_fold", d_shape.build_options()),
                       "transform_folded"));
    check_group_size(*d_device, d_transform, d_shape.items, variant);
}

void separate_fold::reserve(const launch& what)
{
    d_folded.reserve(what.channels * what.blocks * d_shape.rows * transform_value_bytes);
}

void separate_fold::enqueue(const launch& what, std::vector<cl::Event>& events)
{
    reserve(what);
    enqueue_fold(what, events);
    enqueue_transforms(what, events);
}

void separate_fold::enqueue_transforms(const launch& what, std::vector<cl::Event>& events)
{
    set_args(d_transform,
             d_folded.buffer(),
             what.order,
             word(what.first_active),
             word(what.blocks),
             d_roots.buffer(),
             what.rotators,
             word(what.lost),
             word(what.valid),
             word(what.outputs),
             what.out,
             word(what.out_offset),
             word(what.outputs));
    events.push_back(enqueue_kernel(
        *d_device,
        d_queue,
        d_transform,
        cl::NDRange(divide_up(what.blocks, d_shape.channels * d_shape.blocks) *
                        d_shape.items,
                    what.channels),
        cl::NDRange(d_shape.items, 1)));
}

tiled_fold::tiled_fold(std::shared_ptr<context> device,
                       const cl::CommandQueue& queue,
                       const tiled_fold_shape& shape)
    : separate_fold(std::move(device), queue, "tiled_fold", shape.transform),
      d_shape(shape)
{
    build("tiled_fold", "fold_tiles", shape);
}

void tiled_fold::enqueue_fold(const launch& what, std::vector<cl::Event>& events)
{
    auto& fold = kernel(what.real_gains);
    set_args(fold,
             what.spectra,
             what.responses,
             word(what.stride),
             word(what.first_channel),
             what.order,
             word(what.first_active),
             word(what.channels),
             what.ranges,
             word(what.first_range),
             word(what.decimation),
             word(what.blocks),
             folded());
    events.push_back(
        enqueue_kernel(*device(),
                       queue(),
                       fold,
                       cl::NDRange(d_shape.rows / d_shape.lanes * d_shape.items(),
                                   divide_up(what.blocks, d_shape.blocks),
                                   divide_up(what.channels, d_shape.channels())),
                       cl::NDRange(d_shape.items(), 1, 1)));
}

void separate_channels::enqueue(const fold_round& call, std::vector<cl::Event>& events)
{
    d_fold->enqueue({ call.spectra,
                      call.group.responses.buffer(),
                      call.responses.stride(),
                      call.responses.real(),
                      call.group.first,
                      call.tables.channels.buffer(),
                      call.first,
                      call.channels,
                      call.tables.tile_rows.buffer(),
                      call.first_tile,
                      call.block.decimation,
                      call.blocks,
                      call.rotators,
                      call.block.lost_before(),
                      call.block.outputs(),
                      call.outputs,
                      call.out.buffer,
                      call.out.offset / transform_value_bytes },
                    events);
}

namespace {

class tiled_sizes final : public fold_sizes
{
public:
    explicit tiled_sizes(const tiled_fold_shape& shape) : d_shape(shape) {}

    std::size_t tile_channels() const override { return d_shape.channels(); }
    std::size_t tile_blocks() const override { return d_shape.blocks; }
    response_layout responses(const overlap_save_block& block) const override
    {
        response_layout layout;
        layout.whole_rows = true;
        layout.all_rows = d_shape.response_rows(block.decimation);
        return layout;
    }
    std::unique_ptr<channel_fold> make(const std::shared_ptr<context>& device,
                                       const cl::CommandQueue& queue,
                                       const overlap_save_block&,
                                       const pipeline_shape&) const override
    {
        return std::make_unique<separate_channels>(
            std::make_unique<tiled_fold>(device, queue, d_shape));
    }

private:
    const tiled_fold_shape d_shape;
};

class the_tiled_fold final : public opencl_fast_convolution_variant
{
public:
    the_tiled_fold()
        : opencl_fast_convolution_variant("tiled_fold",
                                          "overlap-save; one kernel folds the channels "
                                          "in tiles, another one does the rest")
    {
    }

    std::shared_ptr<const fold_sizes>
    fold_sizes_for(const fold_problem& problem) const override
    {
        return std::make_shared<const tiled_sizes>(
            suggested_tiled_fold(problem.kind,
                                 problem.limits,
                                 problem.block.ifft_size,
                                 problem.block.decimation,
                                 problem.channels));
    }
    bool may_gain(const filter_task& task, const plan_place& place) const override
    {
        return opencl_fast_convolution_variant::may_gain(task, place) &&
               task.shape.channels >= min_tiled_channels;
    }
    device_channel_work work(const plan_shape& shape,
                             const device_info& device,
                             std::size_t ifft_size) const override
    {
        if (!ifft_sizes_of(name, device, shape.decimation).contains(ifft_size))
            return vkfft_variant().work(shape, device, ifft_size);
        const auto tile = suggested_tiled_fold(
            device.kind, device.limits, ifft_size, shape.decimation, shape.channels);
        // The channels of a tile read bins once, unless the local memory, from which its
        // work-items read them, is as slow; and its blocks read gains once. The sums are
        // written and read again.
        const channel_bytes bytes(shape, ifft_size);
        const std::size_t readers =
            device.limits.fast_local_memory ? tile.channels() : tile.item_channels;
        return { bytes.bins / static_cast<double>(readers) +
                     bytes.bins / static_cast<double>(tile.blocks) + 3 * bytes.outputs,
                 2 };
    }
};

} // namespace

const opencl_fast_convolution_variant& tiled_fold_variant()
{
    static const auto& variant = *new the_tiled_fold;
    return variant;
}

} // namespace cldsp
