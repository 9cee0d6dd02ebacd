/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/fast_convolution_lane.h"
#include "opencl/queue_window.h"

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

cl_uint word(std::size_t value) { return static_cast<cl_uint>(value); }

} // namespace

fast_convolution_lane::fast_convolution_lane(std::shared_ptr<context> device,
                                             const std::string& transfer,
                                             const overlap_save_block& block,
                                             const lane_shape& shape)
    : d_device(device),
      d_queue(device->make_queue()),
      d_block(block),
      d_shape(shape),
      d_forward(device, d_queue, fft_direction::forward, block.length, shape.blocks),
      d_inverse(device,
                d_queue,
                fft_direction::inverse,
                block.rows,
                shape.blocks * std::min(shape.channels, shape.channels_per_group)),
      d_transfer(make_fir_transfer(transfer, device, d_queue)),
      d_spectra(device),
      d_folded(device),
      d_rotators(device, CL_MEM_READ_ONLY),
      d_copies(device, d_queue)
{
    const cl::Program program =
        device->build("fast_convolution",
                      "-DINPUT=" + std::to_string(static_cast<int>(shape.input)) +
                          " -DBLOCKS=" + std::to_string(d_shape.fold_blocks));
    replace(d_gather, cl::Kernel(program, "gather"));
    replace(d_fold, cl::Kernel(program, "fold"));
    replace(d_rotate, cl::Kernel(program, "rotate_and_trim"));
}

void fast_convolution_lane::enqueue_kernel(cl::Kernel& kernel, const cl::NDRange& items)
{
    // The first dimension is rounded up to whole groups, whose surplus the kernels leave
    // out.
    const std::size_t group = d_shape.group;
    const std::size_t* n = items;
    const std::size_t width = (n[0] + group - 1) / group * group;
    const bool flat = items.dimensions() == 2;
    auto slot = d_device->admit_command(d_queue);
    d_kernels.emplace_back();
    d_queue.enqueueNDRangeKernel(kernel,
                                 cl::NullRange,
                                 flat ? cl::NDRange(width, n[1])
                                      : cl::NDRange(width, n[1], n[2]),
                                 flat ? cl::NDRange(group, 1) : cl::NDRange(group, 1, 1),
                                 nullptr,
                                 &d_kernels.back());
    slot.enqueued(d_kernels.back());
}

//! The round's items as blocks, transformed.
void fast_convolution_lane::take_items(const bank_call& call,
                                       std::size_t first,
                                       std::size_t outputs)
{
    // Where the first block begins; a call with a shorter history than the blocks have
    // comes with shorter taps, too, which do not reach the missing items.
    const std::size_t newest = first * d_block.decimation + call.past;
    const std::size_t from = newest + 1 - std::min(newest + 1, d_block.reach);
    const std::size_t lead = d_block.reach - (newest + 1 - from);
    const std::size_t items = newest + (outputs - 1) * d_block.decimation + 1 - from;
    const std::size_t size = sample_size(d_shape.input);
    const auto in = d_transfer->input(
        static_cast<const unsigned char*>(call.in) + from * size, items * size);

    d_spectra.reserve(d_forward.rows_touched(d_blocks) * d_block.length * transform_value_bytes);
    set_args(d_gather,
             in.buffer,
             word(in.offset / size),
             word(items),
             word(lead),
             word(d_block.outputs() * d_block.decimation),
             word(d_block.length),
             d_spectra.buffer());
    enqueue_kernel(d_gather, cl::NDRange(d_block.length, d_blocks));
    d_forward.enqueue(d_spectra.buffer(), d_blocks, d_kernels);
}

void fast_convolution_lane::fold_and_rotate(const fast_convolution_responses& responses,
                                            std::size_t index,
                                            const device_range& out)
{
    const auto& group = responses.groups()[index];
    const std::size_t transforms = group.channels * d_blocks;
    d_folded.reserve(d_inverse.rows_touched(transforms) * d_block.rows * transform_value_bytes);
    set_args(d_fold,
             d_spectra.buffer(),
             group.responses.buffer(),
             word(responses.stride()),
             responses.runs(),
             word(group.first),
             word(d_block.length),
             word(d_block.rows),
             word(d_blocks),
             d_folded.buffer());
    enqueue_kernel(d_fold,
                   cl::NDRange(d_block.rows,
                               (d_blocks + d_shape.fold_blocks - 1) / d_shape.fold_blocks,
                               group.channels));
    d_inverse.enqueue(d_folded.buffer(), transforms, d_kernels);
    set_args(d_rotate,
             d_folded.buffer(),
             word(d_block.rows),
             word(d_block.lost),
             word(d_blocks),
             d_rotators.buffer(),
             word(group.first),
             word(0),
             word(d_round_outputs),
             out.buffer,
             word(out.offset / transform_value_bytes),
             word(d_round_outputs));
    enqueue_kernel(d_rotate, cl::NDRange(d_round_outputs, group.channels));
}

void fast_convolution_lane::enqueue(const fast_convolution_responses& responses,
                                    const bank_call& call,
                                    const std::vector<cl_uint4>& rotators,
                                    std::size_t first,
                                    std::size_t outputs)
{
    d_kernels.clear();
    d_blocks = (outputs + d_block.outputs() - 1) / d_block.outputs();
    d_round_outputs = outputs;
    d_places.assign(call.out, call.out + d_shape.channels);
    for (auto& place : d_places)
        place += first;

    take_items(call, first, outputs);
    const std::size_t bytes = rotators.size() * sizeof(rotators[0]);
    d_rotators.reserve(bytes);
    d_writes.clear();
    d_copies.write(d_rotators.buffer(), { rotators.data(), bytes, 1, bytes }, d_writes);

    if (d_shape.channels == 1) {
        const auto out = d_transfer->output(d_places[0], outputs * transform_value_bytes);
        fold_and_rotate(responses, 0, out);
    } else {
        while (d_outputs.size() > responses.groups().size())
            d_outputs.pop_back();
        while (d_outputs.size() < responses.groups().size())
            d_outputs.emplace_back(d_device, d_queue);
        for (std::size_t g = 0; g < responses.groups().size(); ++g) {
            auto& results = d_outputs[g];
            const auto& buffer = results.reserve(responses.groups()[g].channels, outputs);
            fold_and_rotate(responses, g, { buffer, 0 });
            results.enqueue();
        }
    }
    d_queue.flush();
}

void fast_convolution_lane::finish()
{
    d_transfer_time = 0;
    if (d_shape.channels == 1) {
        d_transfer->finish(d_kernels.back());
        d_transfer_time = d_transfer->time();
    } else {
        auto* place = d_places.data();
        for (auto& results : d_outputs) {
            results.finish(place);
            place += results.channels();
            d_transfer_time += results.time();
        }
    }
    d_kernel_time = d_longest_kernel = 0;
    for (const auto& kernel : d_kernels) {
        const double seconds = event_seconds(kernel);
        d_kernel_time += seconds;
        d_longest_kernel = std::max(d_longest_kernel, seconds);
    }
    for (const auto& written : d_writes)
        d_transfer_time += event_seconds(written);
}

} // namespace cldsp
