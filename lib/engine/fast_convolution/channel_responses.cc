// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Transforms the taps of channels, finds the bins to keep, and uploads their gains.

#include "fast_convolution/channel_responses.h"

#include "base/arithmetic.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/tensor_fold.h"
#include "opencl/commands.h"
#include "opencl/queue_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cldsp {

linear_phase find_linear_phase(const std::vector<std::complex<double>>& taps)
{
    // Taps are floats. A tap and its mirror image may be rounded differently.
    constexpr double rounding = 1e-7;
    constexpr double turn = 6.283185307179586476925;
    const std::size_t count = taps.size();
    std::complex<double> sum = 0;
    double power = 0;
    for (std::size_t k = 0; k < count; ++k) {
        sum += taps[k] * taps[count - 1 - k];
        power += std::norm(taps[k]);
    }
    const double angle = sum == std::complex<double>() ? 0 : std::arg(sum) / 2;
    const auto back = std::polar(1.0, -2 * angle);
    double wrong = 0;
    for (std::size_t k = 0; k < count; ++k)
        wrong += std::norm(taps[k] * back - std::conj(taps[count - 1 - k]));
    return { wrong <= rounding * rounding * power, phase64::from_turns(angle / turn) };
}

channel_responses::channel_responses(std::shared_ptr<context> device,
                                     const cl::CommandQueue& queue,
                                     const overlap_save_block& block,
                                     forward_transform& forward,
                                     double accuracy,
                                     std::size_t channels_per_group,
                                     std::size_t channels,
                                     const response_layout& layout)
    : d_device(std::move(device)),
      d_queue(queue),
      d_block(block),
      d_forward(forward),
      d_accuracy(accuracy),
      d_channels_per_group(channels_per_group),
      d_layout(layout),
      d_stride(layout.all_rows * block.ifft_size),
      d_runs(channels),
      d_turns(channels),
      d_placed(channels),
      d_scratch(d_device),
      d_response(d_device),
      d_copies(d_device, queue),
      d_values(block.fft_size)
{
    d_scratch.reserve(std::max(block.fft_size, d_stride) * transform_value_bytes);
    d_response.reserve(forward.spectra_bytes(1));
}

std::size_t channel_responses::value_bytes() const
{
    return d_layout.real ? sizeof(float) : transform_value_bytes;
}

//! Computes the missing responses. Begins again whenever a response turns out to be
//! longer than the stride, or not to be real.
void channel_responses::provide(const std::vector<filter_channel>& channels,
                                const std::vector<std::size_t>& needed)
{
    bool any = false;
    for (std::size_t i = 0; i < needed.size();) {
        const std::size_t c = needed[i++];
        if (d_placed[c])
            continue;
        any = true;
        if (place(channels[c], c)) {
            d_placed[c] = true;
        } else {
            make_groups();
            i = 0;
        }
    }
    if (any)
        store_runs();
}

//! Makes room for responses as long as the stride. All of them are computed anew.
void channel_responses::make_groups()
{
    // The kernels count the values of a group in 32 bits.
    constexpr std::size_t max_values = std::size_t(1) << 31;
    std::fill(d_placed.begin(), d_placed.end(), false);
    d_groups.clear();
    const std::size_t by_buffer =
        std::min(d_device->limits().max_buffer / (d_stride * value_bytes()),
                 max_values / d_stride);
    const std::size_t most =
        std::max<std::size_t>(1, std::min(by_buffer, d_channels_per_group));
    for (std::size_t first = 0; first < d_runs.size(); first += most) {
        const std::size_t count = std::min(most, d_runs.size() - first);
        d_groups.push_back({ first, count, device_buffer(d_device) });
        d_groups.back().responses.reserve(count * d_stride * value_bytes());
    }
}

//! Computes a channel's response and stores it in the buffer of its group. Returns false
//! if the groups have to be made for another stride, or for complex values.
bool channel_responses::place(const filter_channel& setup, std::size_t channel)
{
    const std::size_t length = d_block.fft_size;
    const auto rotated = setup.rotated();
    linear_phase phase;
    if (d_layout.real) {
        // Only the longest filter has its middle where the block puts the time 0.
        if (rotated.size() == d_block.max_taps)
            phase = find_linear_phase(rotated);
        if (!phase.is_linear) {
            d_layout.real = false;
            return false;
        }
    }
    if (d_layout.all_rows && d_groups.empty())
        return false;
    d_turns[channel] = phase.turn;

    // The taps include the scale of the inverse transform. Taps before the time 0 wrap
    // round to the end of the block.
    const auto scale = (-phase.turn).phasor() / static_cast<double>(length);
    std::fill(d_values.begin(), d_values.end(), std::complex<float>());
    const std::size_t early = d_block.tap_shift + d_block.advance * d_block.decimation;
    for (std::size_t k = 0; k < rotated.size(); ++k)
        d_values[(k + length - early) % length] =
            static_cast<std::complex<float>>(rotated[k] * scale);
    const std::size_t bytes = length * transform_value_bytes;
    std::vector<cl::Event> events;
    d_copies.write(d_scratch.buffer(), { d_values.data(), bytes, 1, bytes }, events);
    d_forward.enqueue_block(d_scratch.buffer(), d_response.buffer(), events);
    if (d_accuracy > 0 || d_layout.all_rows)
        read_response();

    const cl_uint2 run = d_layout.whole_rows ? in_whole_rows(kept_run()) : kept_run();
    d_runs[channel] = run;
    if (!d_layout.all_rows)
        return place_run(channel);
    place_rows(channel);
    return true;
}

//! If the run of a channel is longer than the stride, enlarges the stride and returns
//! false.
bool channel_responses::place_run(std::size_t channel)
{
    const std::size_t length = d_block.fft_size;
    const std::size_t first = first_bin(channel), count = bins(channel);
    if (count > d_stride) {
        // Leaves room, because another frequency of the same filter may need a longer
        // run.
        const std::size_t wanted = (count + count / 8 + 16 + 63) / 64 * 64;
        d_stride = std::min(wanted, length);
        return false;
    }
    const std::size_t before_wrap = std::min(count, length - first);
    copy(d_response, first, channel, 0, before_wrap);
    copy(d_response, 0, channel, before_wrap, count - before_wrap);
    return true;
}

//! Stores all rows of a channel, with zeros where it keeps no bins.
void channel_responses::place_rows(std::size_t channel)
{
    const std::size_t length = d_block.fft_size;
    const std::size_t first = first_bin(channel), count = bins(channel);
    const auto kept = [&](std::size_t k) {
        return (k >= first ? k - first : k + length - first) < count;
    };
    const std::size_t rows = d_block.ifft_size;
    const auto place = [&](std::size_t k) {
        return d_layout.by_bins ? k % rows * d_layout.all_rows + k / rows : k;
    };
    const auto stored = [&](float gain) {
        return d_layout.by_bins ? rounded_gain(gain) : gain;
    };
    const std::size_t floats = value_bytes() / sizeof(float);
    d_gains.assign(d_stride * floats, 0);
    for (std::size_t k = 0; k < length; ++k) {
        if (!kept(k))
            continue;
        float* to = &d_gains[place(k) * floats];
        to[0] = stored(d_values[k].real());
        if (!d_layout.real)
            to[1] = stored(d_values[k].imag());
    }
    std::vector<cl::Event> events;
    const std::size_t bytes = d_stride * value_bytes();
    d_copies.write(d_scratch.buffer(), { d_gains.data(), bytes, 1, bytes }, events);
    copy(d_scratch, 0, channel, 0, d_stride);
}

//! Copies values of a buffer into the response of a channel.
void channel_responses::copy(const device_buffer& from,
                             std::size_t from_value,
                             std::size_t channel,
                             std::size_t at,
                             std::size_t values)
{
    if (!values)
        return;
    const auto& place = *std::find_if(d_groups.begin(), d_groups.end(), [&](auto& g) {
        return channel < g.first + g.channels;
    });
    auto slot = d_device->admit_command(d_queue);
    cl::Event copied;
    d_queue.enqueueCopyBuffer(from.buffer(),
                              place.responses.buffer(),
                              from_value * value_bytes(),
                              ((channel - place.first) * d_stride + at) * value_bytes(),
                              values * value_bytes(),
                              nullptr,
                              &copied);
    slot.enqueued(copied);
}

//! Reads the response that the device has just computed.
void channel_responses::read_response()
{
    const std::size_t bytes = d_block.fft_size * transform_value_bytes;
    std::vector<cl::Event> events;
    d_copies.begin_read(d_response.buffer(), { d_values.data(), bytes, 1, bytes });
    d_queue.flush();
    d_copies.finish_read(events);
    d_device->check_commands(d_queue); // after a failed command the values mean nothing
}

//! The shortest cyclic run that holds every bin above the threshold.
cl_uint2 channel_responses::kept_run() const
{
    const auto length = static_cast<cl_uint>(d_block.fft_size);
    if (d_accuracy <= 0)
        return { { 0, length } };
    float largest = 0;
    for (const auto& value : d_values)
        largest = std::max(largest, std::norm(value));
    const auto least = static_cast<float>(d_accuracy * d_accuracy) * largest;

    // Finds the longest gap between kept bins. The gap round the end of the spectrum
    // counts, too.
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

//! The shortest run of whole rows that contains another run.
cl_uint2 channel_responses::in_whole_rows(cl_uint2 run) const
{
    const auto row = static_cast<cl_uint>(d_block.ifft_size);
    const cl_uint first = run.s[0] / row * row;
    const std::size_t bins = round_up(run.s[0] + run.s[1] - first, row);
    return bins < d_block.fft_size ? cl_uint2{ { first, word(bins) } }
                                   : cl_uint2{ { 0, word(d_block.fft_size) } };
}

void channel_responses::store_runs()
{
    // Waits first: commands may still read the table, and a response is good only if all
    // of its commands succeeded.
    d_device->finish(d_queue);
    d_run_table.set(d_device, d_queue, d_runs.data(), d_runs.size() * sizeof(cl_uint2));
}

} // namespace cldsp
