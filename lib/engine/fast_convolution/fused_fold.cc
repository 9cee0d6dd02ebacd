// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the tile of channels and blocks for the fused kernel, and enqueues it.

#include "fast_convolution/fused_fold.h"

#include "base/arithmetic.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/stockham.h"
#include "opencl/commands.h"
#include "opencl/kernel_groups.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The rows of a response whose products the kernel adds up in one float.
constexpr std::size_t sum_bins = 64;

std::size_t max_group_items(const device_limits& limits)
{
    return power_of_two_up_to(std::max<std::size_t>(
        1, std::min(limits.max_work_group_size, limits.max_work_item_sizes[0])));
}

} // namespace

std::size_t fused_fold_shape::local_bytes() const
{
    // As PLACES in the kernel.
    return channels * blocks * (rows - 1 + (rows - 1) / 16 + 1) * transform_value_bytes;
}

std::vector<std::size_t> fused_fold_shape::radices() const
{
    return stockham_radices(rows, values);
}

bool fused_fold_shape::fits(const device_limits& limits) const
{
    for (const std::size_t size : { rows, items, channels, blocks, values })
        if (!is_power_of_two(size))
            return false;
    if (rows < 2 || values < 2 || values > max_stockham_radix || values > rows ||
        items > rows || items > max_group_items(limits) || items * values < rows)
        return false;
    const std::size_t teams = items * values / rows;
    return channels * blocks % teams == 0 && radices().size() <= max_stockham_passes &&
           local_bytes() <= limits.local_memory;
}

std::string fused_fold_shape::build_options() const
{
    const std::string text =
        "-DROWS=" + std::to_string(rows) + " -DITEMS=" + std::to_string(items) +
        " -DCHANNELS=" + std::to_string(channels) +
        " -DBLOCKS=" + std::to_string(blocks) + " -DVALUES=" + std::to_string(values) +
        stockham_options(radices());
    return long_sums ? text + " -DLONG_SUMS" : text;
}

std::size_t max_fused_rows(const device_limits& limits)
{
    std::size_t most = 0;
    for (std::size_t rows = 2; rows <= max_group_items(limits) * max_stockham_radix;
         rows *= 2)
        if (suggested_fused_fold(limits, rows, 1, 1).fits(limits))
            most = rows;
    return most;
}

fused_fold_shape suggested_fused_fold(const device_limits& limits,
                                      std::size_t rows,
                                      std::size_t decimation,
                                      std::size_t channels)
{
    // Measured on an NVIDIA H200: a tile of four channels and four blocks in groups of
    // 256 work-items reads the least memory of all whose sums stay in registers.
    constexpr std::size_t usual_values = 8, usual_items = 256, tile = 4;
    const std::size_t most_values =
        has_few_registers(limits) ? few_stockham_values : max_stockham_radix;
    constexpr std::size_t max_sums = 16; // of a work-item
    fused_fold_shape shape;
    shape.rows = rows;
    shape.long_sums = decimation > sum_bins;
    shape.items = std::min({ rows, usual_items, max_group_items(limits) });
    shape.values = std::min(rows, usual_values);
    while (shape.items * shape.values < rows && shape.values < most_values)
        shape.values *= 2;
    const std::size_t teams = std::max<std::size_t>(1, shape.items * shape.values / rows);
    const std::size_t sums =
        std::max(teams, std::max<std::size_t>(1, max_sums * shape.items / rows));
    shape.channels = std::min({ tile, power_of_two_up_to(channels), sums });
    shape.blocks = std::min(sums / shape.channels, std::max(tile, teams));
    shape.blocks = std::max(shape.blocks, teams / shape.channels);
    while (shape.local_bytes() > limits.local_memory &&
           shape.channels * shape.blocks > teams)
        (shape.channels > 1 ? shape.channels : shape.blocks) /= 2;
    return shape;
}

fused_fold_shape with_values(fused_fold_shape shape, const tuning_values& values)
{
    shape.items = static_cast<std::size_t>(values.at("items"));
    shape.blocks = static_cast<std::size_t>(values.at("blocks"));
    shape.values = static_cast<std::size_t>(values.at("values"));
    return shape;
}

void set_inverse_roots(device_table& roots,
                       const std::shared_ptr<context>& device,
                       const cl::CommandQueue& queue,
                       const fused_fold_shape& shape)
{
    const auto values = stockham_roots(shape.radices());
    roots.set(device, queue, values.data(), values.size() * transform_value_bytes);
}

fused_fold::fused_fold(std::shared_ptr<context> device,
                       const cl::CommandQueue& queue,
                       const fused_fold_shape& shape)
    : d_device(std::move(device)), d_queue(queue), d_shape(shape)
{
    set_inverse_roots(d_roots, d_device, d_queue, shape);
    replace(d_kernel,
            cl::Kernel(d_device->build("fused_fold", shape.build_options()),
                       "fold_and_transform"));
    check_group_size(*d_device, d_kernel, shape.items, "fused_fold");
}

void fused_fold::enqueue(const launch& what, std::vector<cl::Event>& events)
{
    // Neighbouring channels read the same bins, which then come from the nearest cache.
    // So a group computes as many channels as leave enough groups to fill the device.
    constexpr std::size_t groups_of_a_unit = 8;
    const std::size_t columns = divide_up(what.blocks, d_shape.blocks);
    const std::size_t turns = divide_up(what.channels, d_shape.channels);
    const std::size_t wanted =
        divide_up(groups_of_a_unit * d_device->limits().compute_units, columns);
    const std::size_t channels_per_group =
        d_shape.channels * divide_up(turns, std::min(turns, wanted));
    set_args(d_kernel,
             what.spectra,
             what.responses,
             word(what.stride),
             what.runs,
             word(what.first_channel),
             what.order,
             word(what.first_active),
             word(what.channels),
             word(channels_per_group),
             word(what.decimation),
             word(what.blocks),
             d_roots.buffer(),
             what.rotators,
             word(what.lost),
             word(what.outputs),
             what.out,
             word(what.out_offset),
             word(what.outputs));
    events.push_back(
        enqueue_kernel(*d_device,
                       d_queue,
                       d_kernel,
                       cl::NDRange(columns * d_shape.items,
                                   divide_up(what.channels, channels_per_group)),
                       cl::NDRange(d_shape.items, 1)));
}

namespace {

class fused_channels final : public channel_fold
{
public:
    fused_channels(const std::shared_ptr<context>& device,
                   const cl::CommandQueue& queue,
                   const fused_fold_shape& shape)
        : d_fold(device, queue, shape)
    {
    }

    void enqueue(const fold_round& call, std::vector<cl::Event>& events) override
    {
        d_fold.enqueue({ call.spectra,
                         call.group.responses.buffer(),
                         call.responses.stride(),
                         call.responses.runs(),
                         call.group.first,
                         call.tables.channels.buffer(),
                         call.first,
                         call.channels,
                         call.block.decimation,
                         call.blocks,
                         call.rotators,
                         call.block.lost_before(),
                         call.outputs,
                         call.out.buffer,
                         call.out.offset / transform_value_bytes },
                       events);
    }

private:
    fused_fold d_fold;
};

class fused_sizes final : public fold_sizes
{
public:
    explicit fused_sizes(const fused_fold_shape& shape) : d_shape(shape) {}

    std::size_t tile_blocks() const override { return d_shape.blocks; }
    response_layout responses(const overlap_save_block&) const override
    {
        response_layout layout;
        layout.whole_rows = true;
        return layout;
    }
    tuning_values values() const override
    {
        const auto value = [](std::size_t size) {
            return static_cast<std::int64_t>(size);
        };
        return { { "items", value(d_shape.items) },
                 { "blocks", value(d_shape.blocks) },
                 { "values", value(d_shape.values) } };
    }
    //! The values may have been tuned for another size than the one asked for.
    std::shared_ptr<const fold_sizes> with(const tuning_values& values,
                                           const device_limits& limits) const override
    {
        const auto wanted = with_values(d_shape, values);
        return wanted.fits(limits) ? std::make_shared<const fused_sizes>(wanted)
                                   : nullptr;
    }
    std::unique_ptr<channel_fold> make(const std::shared_ptr<context>& device,
                                       const cl::CommandQueue& queue,
                                       const overlap_save_block&,
                                       const pipeline_shape&) const override
    {
        return std::make_unique<fused_channels>(device, queue, d_shape);
    }

private:
    const fused_fold_shape d_shape;
};

class the_fused_fold final : public opencl_fast_convolution_variant
{
public:
    the_fused_fold()
        : opencl_fast_convolution_variant(
              "fused_fold",
              "overlap-save; one kernel folds, transforms back and rotates each channel")
    {
    }

    std::shared_ptr<const fold_sizes>
    fold_sizes_for(const fold_problem& problem) const override
    {
        return std::make_shared<const fused_sizes>(
            suggested_fused_fold(problem.limits,
                                 problem.block.ifft_size,
                                 problem.block.decimation,
                                 problem.channels));
    }
    bool has_tunable() const override { return true; }
    fold_parameters parameters(const device_info& device,
                               const fast_convolution_problem& problem,
                               const pipeline_shape& usual) const override
    {
        constexpr std::int64_t max_items = 512;
        const auto fits = [limits = device.limits, problem](const tuning_point& point) {
            const auto rows = static_cast<std::size_t>(point["ifft_size"]);
            const auto shape =
                suggested_fused_fold(limits, rows, problem.decimation, problem.channels);
            return with_values(shape, point.by_name()).fits(limits);
        };
        const auto suggested = usual.fold->values();
        const auto parameter = [&](const char* its_name,
                                   const std::vector<std::int64_t>& values) {
            return kernel_parameter{ its_name, suggested.at(its_name), values };
        };
        return { { parameter(
                       "items",
                       powers_of_two(std::min(largest_group(device.limits), max_items))),
                   parameter("blocks", { 1, 2, 4, 8, 16 }),
                   parameter("values", { 2, 4, 8, 16 }) },
                 { { "sizes of the fused kernel", fits } } };
    }
    device_channel_work work(const plan_shape& shape,
                             const device_info&,
                             std::size_t ifft_size) const override
    {
        const channel_bytes bytes(shape, ifft_size);
        return { 2 * bytes.bins + bytes.outputs, 1 };
    }
};

} // namespace

const opencl_fast_convolution_variant& fused_fold_variant()
{
    static const auto& variant = *new the_fused_fold;
    return variant;
}

} // namespace cldsp
