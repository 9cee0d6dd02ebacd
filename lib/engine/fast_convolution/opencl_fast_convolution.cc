/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/opencl_fast_convolution.h"

#include "fast_convolution/fast_convolution_bank.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "opencl/commands.h"
#include "filter/plan_options.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

// Smaller pieces of a call would cost more in commands than overlapping them gains.
constexpr std::size_t min_items_per_piece = std::size_t(1) << 18;

std::size_t longest(const std::vector<fir_setup>& channels)
{
    std::size_t taps = 0;
    for (const auto& c : channels)
        taps = std::max(taps, c.taps());
    return taps;
}

} // namespace

fast_convolution_bank::fast_convolution_bank(std::shared_ptr<context> device,
                                             const std::string& transfer,
                                             const std::vector<fir_setup>& channels,
                                             double accuracy,
                                             std::size_t rows,
                                             const tuning_values& tuned)
    : d_device(std::move(device)),
      d_transfer(transfer),
      d_channels(channels),
      d_accuracy(accuracy),
      d_tuned(tuned),
      d_overlaps(!d_device->limits().host_unified_memory &&
                 d_device->device().kind != device_kind::cpu && transfer != "zero_copy"),
      d_pace(d_device->longest_kernel(), 1)
{
    if (channels.empty())
        throw_invalid("channels", "none", "one or more");
    check_accuracy(accuracy);
    if (!vkfft_plan::missing().empty())
        throw_invalid("variant", "'vkfft'", "another one: " + vkfft_plan::missing());
    make(longest(channels), rows);
}

//! Everything that the longest taps decide.
void fast_convolution_bank::make(std::size_t reach, std::size_t rows)
{
    const auto& device = d_device->device();
    const auto& problem = d_channels[0].problem;
    const auto values = fast_convolution_values(
        fast_convolution_place(*d_device),
        { problem.input, problem.decimation, reach, d_channels.size() },
        rows,
        d_tuned);
    const auto block = make_fast_convolution_block(
        device, problem.decimation, reach, rows ? rows : size_of(values, "rows"));
    auto shape = make_lane_shape(device,
                                 block,
                                 problem.input,
                                 d_channels.size(),
                                 size_of(values, "lane_kib") * 1024);
    shape.group = size_of(values, "group");
    shape.fold_blocks = size_of(values, "fold_blocks");

    std::vector<std::unique_ptr<fast_convolution_lane>> lanes;
    std::unique_ptr<fast_convolution_responses> responses;
    with_opencl_errors(*d_device, [&] {
        lanes.push_back(
            std::make_unique<fast_convolution_lane>(d_device, d_transfer, block, shape));
    });
    run_commands(*d_device, lanes[0]->queue(), 0, [&] {
        responses = std::make_unique<fast_convolution_responses>(d_device,
                                                                 lanes[0]->queue(),
                                                                 block,
                                                                 lanes[0]->forward(),
                                                                 d_accuracy,
                                                                 shape.channels_per_group,
                                                                 d_channels);
    });
    d_responses = std::move(responses);
    d_lanes = std::move(lanes);
    d_block = block;
    d_shape = shape;
    set_stream_memory(d_in_stream, d_out_stream);
}

void fast_convolution_bank::configure(std::size_t channel, const fir_setup& setup)
{
    if (channel >= d_channels.size())
        throw_invalid("channel",
                      std::to_string(channel),
                      "0 to " + std::to_string(d_channels.size() - 1));
    const fir_setup before = std::exchange(d_channels[channel], setup);
    try {
        if (setup.taps() > d_block.reach) {
            d_tuned.erase("rows"); // found for a shorter overlap
            make(longest(d_channels), 0);
        } else {
            run_commands(*d_device, d_lanes[0]->queue(), 0, [&] {
                d_responses->configure(d_channels, channel);
            });
        }
    } catch (const std::invalid_argument&) {
        d_channels[channel] = before; // longer taps than the device can take
        throw;
    }
}

void fast_convolution_bank::set_stream_memory(memory_region in, memory_region out)
{
    d_in_stream = in;
    d_out_stream = out;
    for (auto& lane : d_lanes)
        lane->set_stream_memory(in, out);
}

fast_convolution_lane& fast_convolution_bank::lane(std::size_t index)
{
    while (d_lanes.size() <= index) {
        d_lanes.push_back(std::make_unique<fast_convolution_lane>(
            d_device, d_transfer, d_block, d_shape));
        d_lanes.back()->set_stream_memory(d_in_stream, d_out_stream);
    }
    return *d_lanes[index];
}

//! Whole blocks, so that no cut costs a transform.
std::size_t fast_convolution_bank::outputs_per_piece(std::size_t outputs) const
{
    const std::size_t blocks = (outputs + d_block.outputs() - 1) / d_block.outputs();
    std::size_t piece = std::min(blocks, d_shape.blocks);
    if (d_overlaps) {
        const std::size_t items = d_block.outputs() * d_block.decimation;
        const std::size_t least = (min_items_per_piece + items - 1) / items;
        piece = std::min(piece, std::max(least, (blocks + 7) / 8));
    }
    return piece * d_block.outputs();
}

//! About what the transforms and the sums between them take.
double fast_convolution_bank::multiply_adds(std::size_t outputs) const
{
    constexpr double a_transform = 64; // of each value
    const double blocks =
        static_cast<double>(outputs) / static_cast<double>(d_block.outputs()) + 1;
    return blocks * static_cast<double>(d_block.length) *
           (a_transform + 2 * static_cast<double>(d_channels.size()));
}

void fast_convolution_bank::run(const bank_call& call)
{
    if (!call.outputs)
        return;
    const auto work = d_device->expect(multiply_adds(call.outputs));
    try {
        with_opencl_errors(*d_device, [&] { run_pieces(call); });
        for (const auto& lane : d_lanes)
            lane->check();
    } catch (...) {
        for (auto& lane : d_lanes)
            lane->abandon();
        throw;
    }
    d_sums.add_call(call.outputs);
}

//! To output \p first of the call: the kernels count from there, in 32 bits.
void fast_convolution_bank::turn_rotators(const bank_call& call, std::size_t first)
{
    d_rotators.resize(d_channels.size());
    for (std::size_t c = 0; c < d_channels.size(); ++c) {
        const phase64 step = -d_channels[c].step * d_block.decimation;
        const phase64 phase = call.phases[c] + step * first;
        d_rotators[c] = { { phase.high(), phase.low(), step.high(), step.low() } };
    }
}

bool fast_convolution_bank::device_is_lost() const
{
    return std::any_of(d_lanes.begin(), d_lanes.end(), [](const auto& lane) {
        return lane->device_is_lost();
    });
}

void fast_convolution_bank::run_pieces(const bank_call& call)
{
    const std::size_t most = outputs_per_piece(call.outputs);
    const std::size_t lanes = d_overlaps ? 2 : 1;
    double kernel_time = 0, transfer_time = 0;
    std::size_t enqueued = 0, finished = 0;
    const auto finish_one = [&] {
        auto& done = lane(finished++ % lanes);
        done.finish();
        kernel_time += done.kernel_time();
        transfer_time += done.transfer_time();
        d_pace.ran(done.blocks(), done.longest_kernel());
    };
    for (std::size_t first = 0; first < call.outputs;) {
        if (enqueued - finished == lanes)
            finish_one();
        const std::size_t a_block = d_block.outputs();
        const std::size_t outputs =
            std::min(d_pace.units(most / a_block) * a_block, call.outputs - first);
        turn_rotators(call, first);
        lane(enqueued++ % lanes).enqueue(*d_responses, call, d_rotators, first, outputs);
        first += outputs;
    }
    while (finished < enqueued)
        finish_one();
    d_sums.add_times(kernel_time, transfer_time);
}

std::unique_ptr<bank_executor>
make_opencl_fast_convolution_bank(std::shared_ptr<context> device,
                                  const std::string& transfer,
                                  const std::vector<fir_setup>& channels,
                                  double accuracy,
                                  std::size_t rows,
                                  const tuning_values& tuned)
{
    return make_on_device<fast_convolution_bank>(
        device, transfer, channels, accuracy, rows, tuned);
}

} // namespace cldsp
