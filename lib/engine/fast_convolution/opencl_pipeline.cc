/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/opencl_pipeline.h"

#include "base/arithmetic.h"
#include "opencl/item_options.h"

#include <algorithm>
#include <utility>

namespace cldsp {

cl::Program build_block_kernels(context& device, const pipeline_shape& shape)
{
    return device.build("fast_convolution",
                        item_options(shape.input) +
                            " -DBLOCKS=" + std::to_string(shape.fold_blocks));
}

opencl_pipeline::opencl_pipeline(std::shared_ptr<context> device,
                                 const std::string& transfer,
                                 std::shared_ptr<pinned_stream> stream,
                                 const overlap_save_block& block,
                                 const pipeline_shape& shape)
    : d_device(device),
      d_queue(device->make_queue()),
      d_block(block),
      d_shape(shape),
      d_transfer(make_device_transfer(transfer, device, d_queue, std::move(stream))),
      d_spectra(device),
      d_rotators(device, CL_MEM_READ_ONLY),
      d_copies(device, d_queue)
{
    if (shape.forward)
        d_forward = make_forward_transform(device, d_queue, shape.input, *shape.forward);
    d_uses_vkfft = !d_forward;
    if (d_uses_vkfft)
        d_forward = make_vkfft_forward_transform(device,
                                                 d_queue,
                                                 build_block_kernels(*device, shape),
                                                 block.fft_size,
                                                 shape.blocks,
                                                 shape.group);
    d_fold = shape.fold->make(device, d_queue, block, shape);
}

//! Cuts the items of the round into blocks and transforms these.
void opencl_pipeline::take_items(const filter_call& call,
                                 std::size_t first,
                                 std::size_t outputs)
{
    // `from` is where the first block begins. The call's history may be shorter than that
    // of the blocks. Its taps are then shorter, too, and do not reach the missing items.
    const std::size_t newest = first * d_block.decimation + call.newest();
    const std::size_t from = newest + 1 - std::min(newest + 1, d_block.max_taps);
    const std::size_t lead = d_block.newest_item() - (newest - from);
    const std::size_t items = newest + (outputs - 1) * d_block.decimation + 1 - from;
    const std::size_t size = sample_size(d_shape.input);
    const auto in = d_transfer->input(
        static_cast<const unsigned char*>(call.in) + from * size, items * size);

    d_spectra.reserve(d_forward->spectra_bytes(d_blocks));
    d_forward->enqueue(
        { in, items, lead, d_block.outputs() * d_block.decimation, d_blocks },
        d_spectra.buffer(),
        d_kernels);
}

//! Finds the groups of channels that have an active channel.
void opencl_pipeline::find_parts(const channel_responses& responses,
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

void opencl_pipeline::enqueue(const channel_responses& responses,
                              const filter_call& call,
                              const std::vector<cl_uint>& active,
                              const active_tables& tables,
                              const std::vector<cl_uint4>& rotators,
                              std::size_t first,
                              std::size_t outputs)
{
    d_kernels.clear();
    d_blocks = (outputs + d_block.outputs() - 1) / d_block.outputs();
    find_parts(responses, active);
    d_places.clear();
    for (const auto channel : active)
        d_places.push_back(call.channels[channel].out + first);

    // The rotators are copied before all else: NVIDIA's driver waits for the queue before
    // it copies from memory that is not pinned, and nothing is in the queue yet.
    const std::size_t bytes = rotators.size() * sizeof(rotators[0]);
    d_rotators.reserve(bytes);
    d_writes.clear();
    d_copies.write(d_rotators.buffer(), { rotators.data(), bytes, 1, bytes }, d_writes);
    take_items(call, first, outputs);

    const auto compute = [&](const active_part& part, const device_range& out) {
        d_fold->enqueue({ d_spectra.buffer(),
                          responses,
                          responses.groups()[part.group],
                          tables,
                          part.first,
                          part.count,
                          part.first_tile,
                          d_block,
                          d_blocks,
                          d_rotators.buffer(),
                          outputs,
                          out },
                        d_kernels);
    };
    if (d_shape.channels == 1) {
        const auto out = d_transfer->output(d_places[0], outputs * transform_value_bytes);
        compute(d_parts.front(), out);
        d_transfer->start_result();
    } else {
        while (d_outputs.size() > responses.groups().size())
            d_outputs.pop_back();
        while (d_outputs.size() < d_parts.size())
            d_outputs.emplace_back(d_device, d_queue);
        for (std::size_t p = 0; p < d_parts.size(); ++p) {
            auto& results = d_outputs[p];
            const auto& buffer = results.reserve(d_parts[p].count, outputs);
            compute(d_parts[p], { buffer, 0 });
            results.enqueue();
        }
    }
    d_queue.flush();
}

void opencl_pipeline::finish()
{
    d_transfer_time = 0;
    if (d_shape.channels == 1) {
        d_transfer->finish(d_kernels.back());
        d_transfer_time = d_transfer->time();
    } else {
        auto* place = d_places.data();
        for (std::size_t p = 0; p < d_parts.size(); ++p) {
            auto& results = d_outputs[p];
            results.finish(place);
            place += results.channels();
            d_transfer_time += results.time();
        }
    }
    d_longest_kernel = 0;
    for (const auto& kernel : d_kernels)
        d_longest_kernel = std::max(d_longest_kernel, event_seconds(kernel));
    for (const auto& written : d_writes)
        d_transfer_time += event_seconds(written);
}

} // namespace cldsp
