// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the block of least cost on a device, and the batches that fill the device.

#include "fast_convolution/fast_convolution_shape.h"

#include "fast_convolution/fused_fold.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <complex>

namespace cldsp {

namespace {

constexpr std::size_t lane_bytes_gpu = std::size_t(32) << 20;
constexpr std::size_t lane_bytes_cpu = std::size_t(4) << 20;
// The most transforms of one enqueue: some drivers allow no more groups in a dimension.
constexpr std::size_t max_transforms = 65535;

//! The usual size of a work-group, all in the first dimension, in which neighbouring
//! work-items read and write neighbouring values.
std::size_t usual_group(const device_limits& limits)
{
    const std::size_t most = std::min(
        { limits.max_work_group_size, limits.max_work_item_sizes[0], std::size_t(64) });
    return power_of_two_up_to(most);
}

// Reading a response once for several blocks saves traffic. But the grid is smaller then,
// and only a large one still fills the device.
std::size_t usual_fold_blocks(const device_limits& limits,
                              const overlap_save_block& block,
                              const pipeline_shape& shape)
{
    const std::size_t work_items =
        block.ifft_size * shape.blocks * shape.channels_per_group;
    return work_items / 4 > limits.compute_units * 2048 && shape.blocks >= 4 ? 4 : 1;
}

//! The cost of a block of a variant that folds rows.
double fold_block_cost(const device_limits& limits,
                       std::size_t ifft_size,
                       std::size_t decimation,
                       std::size_t channels)
{
    // Measured on an NVIDIA H200, in ps for each value of a block: its forward transform,
    // by the number of kernels, and its channels. Up to 512 values a channel costs the
    // same for each value. Longer transforms leave room for fewer blocks and channels in
    // a group, which then reads more memory.
    constexpr double kernels[] = { 6, 10.5, 15 }, vkfft = 25;
    constexpr double first_channel = 5, each_channel = 0.5, usual_size = 512;
    const auto forward = suggested_forward_transform(limits, ifft_size, decimation);
    const auto values = static_cast<double>(ifft_size);
    return values * ((forward ? kernels[forward->row_kernels()] : vkfft) +
                     (first_channel + each_channel * static_cast<double>(channels)) *
                         std::max(1.0, values / usual_size));
}

// From so many channels and blocks on, reading the gains limits a fold by matrix units.
constexpr std::size_t many_channels = 256, many_blocks = 16;

//! The blocks that the pipeline computes at a time if a call is long.
std::size_t blocks_of_piece(const pipeline_shape& shape, const overlap_save_block& block)
{
    const std::size_t bytes = block.outputs() * shape.channels * transform_value_bytes;
    return std::min(shape.blocks, max_outputs_of_piece / bytes);
}

//! The cost of a block whose transforms are all VkFFT's: of \p length values, and of
//! \p ifft_size values for each channel.
double transform_block_cost(const device_info& device,
                            std::size_t length,
                            std::size_t ifft_size,
                            std::size_t channels)
{
    // The cost per item of a block: long blocks do not fit a CPU's caches, and make short
    // calls slow on any device.
    const double an_item = device.kind == device_kind::cpu ? 1e-3 : 1e-6;
    const auto transform = [&](std::size_t size) {
        const auto values = static_cast<double>(size);
        const bool one_pass = device.limits.fast_local_memory &&
                              size * transform_value_bytes <= device.limits.local_memory;
        return values * ((one_pass ? 6.0 : 8.0) + 0.25 * std::log2(values));
    };
    const auto items = static_cast<double>(length);
    return transform(length) + items * items * an_item +
           static_cast<double>(channels) * transform(ifft_size);
}

} // namespace

bool is_small_gpu(const device_info& device)
{
    return device.kind == device_kind::gpu && !device.limits.fast_local_memory;
}

std::size_t max_fast_convolution_items(const device_info& device)
{
    const auto& limits = device.limits;
    return std::min(limits.max_buffer / transform_value_bytes,
                    vkfft_plan::max_length(limits));
}

ifft_sizes ifft_sizes_of(const std::string& variant,
                         const device_info& device,
                         std::size_t decimation)
{
    const std::size_t most = max_fast_convolution_items(device) / decimation;
    if (!opencl_fast_convolution_named(variant).folds_rows())
        return { most, false };
    // Where groups are small, our own forward transforms take longer blocks than VkFFT.
    const auto& limits = device.limits;
    const std::size_t fitting = limits.max_buffer / transform_value_bytes / decimation;
    std::size_t own = max_fused_rows(limits);
    while (own > most &&
           (own > fitting || !forward_transform_missing(limits, own, decimation).empty()))
        own /= 2;
    return { own, true };
}

std::size_t fast_convolution_size(const std::string& variant,
                                  const device_info& device,
                                  std::size_t decimation,
                                  std::size_t max_taps,
                                  std::size_t channels,
                                  std::size_t outputs)
{
    // Shorter transforms leave most of a work-group idle.
    constexpr std::size_t min_length = 32;
    const auto sizes = ifft_sizes_of(variant, device, decimation);
    const std::size_t lost = (max_taps - 1) / decimation;
    std::size_t best = 0;
    double least = 0;
    // The sizes are powers of two and three times powers of two. VkFFT takes both without
    // Bluestein's algorithm.
    for (std::size_t power = 1; power <= sizes.most; power *= 2)
        for (const std::size_t ifft_size : { power, power / 2 * 3 }) {
            if (ifft_size <= lost || !sizes.contains(ifft_size) ||
                ifft_size * decimation < min_length)
                continue;
            const std::size_t valid = ifft_size - lost;
            // The last block of a call is computed whole, however few of its outputs are
            // wanted.
            const auto blocks = outputs ? static_cast<double>(divide_up(outputs, valid))
                                        : 1 / static_cast<double>(valid);
            const double cost =
                blocks *
                (sizes.powers_of_two
                     ? fold_block_cost(device.limits, ifft_size, decimation, channels)
                     : transform_block_cost(
                           device, ifft_size * decimation, ifft_size, channels));
            // Of two sizes that are much the same, the shorter one needs less memory.
            if (!best || cost < least * 0.97) {
                best = ifft_size;
                least = cost;
            }
        }
    if (!best)
        throw_invalid("taps",
                      std::to_string(max_taps) + " of them",
                      "fewer: a block of fast convolution may have " +
                          std::to_string(sizes.most * decimation) +
                          " items on the device");
    return best;
}

overlap_save_block make_fast_convolution_block(const std::string& variant,
                                               const device_info& device,
                                               std::size_t decimation,
                                               std::size_t max_taps,
                                               std::size_t ifft_size)
{
    const auto& limits = device.limits;
    const overlap_save_block block(
        decimation,
        max_taps,
        ifft_size ? ifft_size
                  : fast_convolution_size(variant, device, decimation, max_taps));
    if (block.ifft_size <= block.overlap)
        throw_invalid("ifft_size",
                      std::to_string(block.ifft_size),
                      "more than " + std::to_string(block.overlap) + " for " +
                          std::to_string(max_taps) + " taps");
    // The kernels count the items of a block, and some beyond its end, in 32 bits.
    constexpr std::size_t max_length = std::size_t(1) << 30;
    const std::size_t most =
        std::min(limits.max_buffer / transform_value_bytes, max_length) / decimation;
    if (block.ifft_size > most)
        throw_invalid("ifft_size",
                      std::to_string(block.ifft_size),
                      "at most " + std::to_string(most) + " on device '" + device.name +
                          "'");
    const auto sizes = ifft_sizes_of(variant, device, decimation);
    if (sizes.powers_of_two && !sizes.contains(block.ifft_size))
        throw_invalid("ifft_size",
                      std::to_string(block.ifft_size),
                      "a power of two from 2 to " + std::to_string(sizes.most) +
                          " for variant '" + variant + "'");
    return block;
}

std::size_t usual_pipeline_bytes(const device_info& device)
{
    const bool cpu = device.kind == device_kind::cpu;
    return std::min(cpu ? lane_bytes_cpu : lane_bytes_gpu, device.limits.max_buffer / 2);
}

void pipeline_shape::take(const tuning_values& values, const device_limits& limits)
{
    if (const auto tuned = fold->with(values, limits))
        fold = tuned;
    const auto taken = [&](std::size_t& size, const char* name) {
        if (const auto found = values.find(name); found != values.end())
            size = static_cast<std::size_t>(found->second);
    };
    taken(group, "group");
    // It may have been tuned for larger groups than the kernels may have.
    group =
        std::min({ group, limits.max_work_group_size, limits.max_work_item_sizes[0] });
    taken(fold_blocks, "fold_blocks");
}

pipeline_shape make_pipeline_shape(const std::string& variant,
                                   const device_info& device,
                                   const overlap_save_block& block,
                                   sample_type input,
                                   std::size_t channels,
                                   std::size_t pipeline_bytes,
                                   tensor_mode mode)
{
    const std::size_t bytes = std::min(pipeline_bytes, device.limits.max_buffer / 2);
    pipeline_shape shape;
    shape.input = input;
    shape.channels = channels;
    const std::size_t row_bytes = block.ifft_size * transform_value_bytes;
    shape.group = usual_group(device.limits);
    const auto& its = opencl_fast_convolution_named(variant);
    if (its.folds_rows()) {
        // Only the spectra have to stay in the cache. The outputs need a buffer on the
        // device and one on the host, and sums of tiles another one.
        constexpr std::size_t outputs_of_spectra = 4;
        const std::size_t results =
            std::min(bytes * outputs_of_spectra, device.limits.max_buffer / 2);
        shape.channels_per_group =
            std::clamp<std::size_t>(results / row_bytes, 1, channels);
        shape.blocks = std::clamp<std::size_t>(
            std::min(bytes / (block.fft_size * transform_value_bytes),
                     results / (row_bytes * shape.channels_per_group)),
            1,
            max_transforms);
        shape.fold_blocks = 1;
        shape.forward =
            suggested_forward_transform(device.limits, block.ifft_size, block.decimation);
        shape.fold = its.fold_sizes_for(
            { device.kind,
              device.limits,
              block,
              channels,
              channels >= many_channels && blocks_of_piece(shape, block) >= many_blocks,
              mode });
        return shape;
    }
    shape.channels_per_group = std::clamp<std::size_t>(
        bytes / row_bytes, 1, std::min(shape.channels, max_transforms));
    shape.blocks = std::clamp<std::size_t>(
        std::min({ bytes / (block.fft_size * transform_value_bytes),
                   bytes / (row_bytes * shape.channels_per_group),
                   max_transforms / shape.channels_per_group }),
        1,
        max_transforms);
    shape.fold_blocks = usual_fold_blocks(device.limits, block, shape);
    shape.fold =
        its.fold_sizes_for({ device.kind, device.limits, block, channels, false, mode });
    return shape;
}

} // namespace cldsp
