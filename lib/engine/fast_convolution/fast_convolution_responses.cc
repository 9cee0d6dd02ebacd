/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/fast_convolution_responses.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "opencl/queue_window.h"

#include <algorithm>
#include <utility>

namespace cldsp {

fast_convolution_responses::fast_convolution_responses(
    std::shared_ptr<context> device,
    const cl::CommandQueue& queue,
    const overlap_save_block& block,
    vkfft_plan& forward,
    double accuracy,
    std::size_t channels_per_group,
    const std::vector<fir_setup>& channels)
    : d_device(std::move(device)),
      d_queue(queue),
      d_block(block),
      d_forward(forward),
      d_accuracy(accuracy),
      d_channels_per_group(channels_per_group),
      d_runs(channels.size()),
      d_scratch(d_device),
      d_copies(d_device, queue),
      d_values(block.length)
{
    d_scratch.reserve(forward.rows_touched(1) * block.length * transform_value_bytes);
    rebuild(channels);
}

void fast_convolution_responses::configure(const std::vector<fir_setup>& channels,
                                           std::size_t channel)
{
    if (place(channels[channel], channel))
        store_runs();
    else
        rebuild(channels);
}

//! All responses, as often as one turns out to be longer than the room for each.
void fast_convolution_responses::rebuild(const std::vector<fir_setup>& channels)
{
    for (bool fits = false; !fits;) {
        d_groups.clear();
        if (d_stride) {
            const std::size_t by_buffer =
                d_device->limits().max_buffer / (d_stride * transform_value_bytes);
            const std::size_t most =
                std::max<std::size_t>(1, std::min(by_buffer, d_channels_per_group));
            for (std::size_t first = 0; first < channels.size(); first += most) {
                const std::size_t count = std::min(most, channels.size() - first);
                d_groups.push_back({ first, count, device_buffer(d_device) });
                d_groups.back().responses.reserve(count * d_stride * transform_value_bytes);
            }
        }
        fits = true;
        for (std::size_t c = 0; c < channels.size() && fits; ++c)
            fits = place(channels[c], c);
    }
    store_runs();
}

/*!
 * Computes a channel's response and puts it into its place; false, and a larger stride,
 * if there is too little room.
 */
bool fast_convolution_responses::place(const fir_setup& setup, std::size_t channel)
{
    const std::size_t length = d_block.length;
    // The inverse transform's scale comes with the taps; those of the shift wrap around.
    const double scale = 1.0 / static_cast<double>(length);
    std::fill(d_values.begin(), d_values.end(), std::complex<float>());
    for (std::size_t k = 0; k < setup.taps(); ++k)
        d_values[(k + length - d_block.shift) % length] =
            static_cast<std::complex<float>>(setup.rotated()[k] * scale);
    const std::size_t bytes = length * transform_value_bytes;
    std::vector<cl::Event> events;
    d_copies.write(d_scratch.buffer(), { d_values.data(), bytes, 1, bytes }, events);
    d_forward.enqueue(d_scratch.buffer(), 1, events);

    const cl_uint2 run = kept_run();
    const std::size_t first = run.s[0], count = run.s[1];
    if (count > d_stride) {
        // With room for what other frequencies of the same filter need.
        const std::size_t wanted = (count + count / 8 + 16 + 63) / 64 * 64;
        d_stride = std::min(wanted, length);
        return false;
    }
    d_runs[channel] = run;
    const auto& place = *std::find_if(d_groups.begin(), d_groups.end(), [&](auto& g) {
        return channel < g.first + g.channels;
    });
    const std::size_t to = (channel - place.first) * d_stride * transform_value_bytes;
    const std::size_t before_wrap = std::min(count, length - first);
    const auto copy = [&](std::size_t from, std::size_t at, std::size_t values) {
        if (!values)
            return;
        auto slot = d_device->admit_command(d_queue);
        cl::Event copied;
        d_queue.enqueueCopyBuffer(d_scratch.buffer(),
                                  place.responses.buffer(),
                                  from * transform_value_bytes,
                                  to + at * transform_value_bytes,
                                  values * transform_value_bytes,
                                  nullptr,
                                  &copied);
        slot.enqueued(copied);
    };
    copy(first, 0, before_wrap);
    copy(0, before_wrap, count - before_wrap);
    return true;
}

//! The shortest cyclic run that holds every bin above the threshold.
cl_uint2 fast_convolution_responses::kept_run()
{
    const auto length = static_cast<cl_uint>(d_block.length);
    if (d_accuracy <= 0)
        return { { 0, length } };
    const std::size_t bytes = length * transform_value_bytes;
    std::vector<cl::Event> events;
    d_copies.begin_read(d_scratch.buffer(), { d_values.data(), bytes, 1, bytes });
    d_queue.flush();
    d_copies.finish_read(events);
    d_device->check_commands(d_queue); // a failed one has left any values behind
    float largest = 0;
    for (const auto& value : d_values)
        largest = std::max(largest, std::norm(value));
    const auto least = static_cast<float>(d_accuracy * d_accuracy) * largest;

    // The longest gap between kept bins, the one around the end included.
    cl_uint first_kept = length, last_kept = 0, gap = 0, after_gap = 0;
    for (cl_uint k = 0; k < length; ++k) {
        if (!(std::norm(d_values[k]) > least))
            continue;
        if (first_kept == length)
            first_kept = k;
        else if (k - last_kept - 1 > gap) {
            gap = k - last_kept - 1;
            after_gap = k;
        }
        last_kept = k;
    }
    if (first_kept == length)
        return { { 0, 1 } }; // taps that are all zero; a run is never empty
    const cl_uint around = first_kept + length - last_kept - 1;
    if (around >= gap) {
        gap = around;
        after_gap = first_kept;
    }
    return { { after_gap, length - gap } };
}

void fast_convolution_responses::store_runs()
{
    // A table may be in use, and no response is good unless all of its commands were.
    d_device->finish(d_queue);
    d_run_table.set(d_device, d_queue, d_runs.data(), d_runs.size() * sizeof(cl_uint2));
}

} // namespace cldsp
