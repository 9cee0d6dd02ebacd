// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Cuts the items of a piece into blocks, and has them transformed and folded.

#include "fast_convolution/block_pipeline.h"

#include "base/arithmetic.h"
#include "opencl/item_options.h"
#include "opencl/kernel_groups.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace cldsp {

cl::Program build_block_kernels(context& device, const pipeline_shape& shape)
{
    return device.build("fast_convolution",
                        item_options(shape.input) +
                            " -DBLOCKS=" + std::to_string(shape.fold_blocks));
}

namespace {

/*!
 * Our own transforms for a pipeline; null if it has none, or the device runs groups of
 * them that are too small for a column.
 *
 * \throws group_refused if the device runs none but small groups of them: it runs no
 *         larger ones of the other kernels, whose compiling would take long
 */
std::unique_ptr<forward_transform>
make_own_transform(const std::shared_ptr<context>& device,
                   const cl::CommandQueue& queue,
                   const pipeline_shape& shape)
{
    if (!shape.forward)
        return nullptr;
    device_limits running = device->limits();
    std::unique_ptr<forward_transform> made;
    try {
        made = with_groups_that_run(running, [&](const device_limits& limits) {
            running = limits;
            const auto smaller = suggested_forward_transform(
                limits, shape.forward->rows, shape.forward->decimation);
            if (!smaller)
                throw std::invalid_argument("no sizes");
            return make_forward_transform(device, queue, shape.input, *smaller);
        });
    } catch (const std::invalid_argument&) {
        return nullptr;
    }
    const std::size_t most = running.max_work_group_size;
    if (has_few_registers(running) && shape.group > most)
        refuse_group(*device, most, shape.group, "forward_transform");
    return made;
}

} // namespace

block_pipeline::block_pipeline(std::shared_ptr<context> its_device,
                               const std::string& transfer,
                               std::shared_ptr<pinned_stream> stream,
                               const overlap_save_block& block,
                               const pipeline_shape& shape)
    : opencl_pipeline(
          std::move(its_device), transfer, std::move(stream), shape.channels == 1),
      d_block(block),
      d_shape(shape),
      d_spectra(device())
{
    d_forward = make_own_transform(device(), queue(), shape);
    d_uses_vkfft = !d_forward;
    if (d_uses_vkfft)
        d_forward = make_vkfft_forward_transform(device(),
                                                 queue(),
                                                 build_block_kernels(*device(), shape),
                                                 block.fft_size,
                                                 shape.blocks,
                                                 shape.group);
    d_fold = shape.fold->make(device(), queue(), block, shape);
}

//! Cuts the items of the round into blocks and transforms these.
void block_pipeline::take_items(const filter_call& call,
                                std::size_t first,
                                std::size_t outputs)
{
    // `from` is where the first block begins. The call's history may be shorter than that
    // of the blocks. Its taps are then shorter, too, and do not reach the missing items.
    const std::size_t newest = first * d_block.decimation + call.newest();
    const std::size_t from = newest + 1 - std::min(newest + 1, d_block.max_taps);
    const std::size_t lead = d_block.newest_item() - (newest - from);
    const std::size_t items = newest + (outputs - 1) * d_block.decimation + 1 - from;
    const auto in = input(call, d_shape.input, from, items);

    d_spectra.reserve(d_forward->spectra_bytes(blocks()));
    d_forward->enqueue(
        { in, items, lead, d_block.outputs() * d_block.decimation, blocks() },
        d_spectra.buffer(),
        events());
}

//! Finds the groups of channels that have an active channel.
void block_pipeline::find_parts(const channel_responses& responses,
                                const std::vector<cl_uint>& active)
{
    d_parts.clear();
    const auto& groups = responses.groups();
    std::size_t tiles = 0;
    for (std::size_t g = 0, next = 0; g < groups.size(); ++g) {
        const std::size_t first = next;
        while (next < active.size() &&
               active[next] < groups[g].first + groups[g].channels)
            ++next;
        if (next == first)
            continue;
        d_parts.push_back({ g, first, next - first, tiles });
        if (const std::size_t tile = d_shape.fold->tile_channels())
            tiles += divide_up(next - first, tile);
    }
}

void block_pipeline::enqueue(const channel_responses& responses,
                             const filter_call& call,
                             const std::vector<cl_uint>& active,
                             const active_tables& tables,
                             const std::vector<cl_uint4>& rotators,
                             std::size_t first,
                             std::size_t outputs)
{
    begin(call, active, rotators, first, divide_up(outputs, d_block.outputs()));
    find_parts(responses, active);
    take_items(call, first, outputs);
    keep_parts(responses.groups().size());
    for (const auto& part : d_parts)
        compute_part(part.count, outputs, [&](const device_range& out) {
            d_fold->enqueue({ d_spectra.buffer(),
                              responses,
                              responses.groups()[part.group],
                              tables,
                              part.first,
                              part.count,
                              part.first_tile,
                              d_block,
                              blocks(),
                              channel_values(),
                              outputs,
                              out },
                            events());
        });
    flush();
}

} // namespace cldsp
