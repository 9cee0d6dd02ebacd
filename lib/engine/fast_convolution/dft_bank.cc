// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the raster that most channels lie on, and launches the DFT filter bank.

#include "fast_convolution/dft_bank.h"

#include "base/arithmetic.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/fused_fold.h"
#include "fft/stockham.h"
#include "opencl/item_options.h"
#include "opencl/kernel_groups.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <utility>

namespace cldsp {

namespace {

constexpr std::size_t max_passes = 6; // of the kernel
constexpr std::size_t sum_taps = 64;  // the products that the kernel adds up in one float


//! The places of a transform in local memory, as PLACES in the kernel.
std::size_t transform_places(std::size_t size)
{
    return (size - 1 + (size - 1) / 16 + 1) | 1;
}

std::size_t max_group(const device_limits& limits)
{
    return std::max<std::size_t>(
        1, std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]));
}

//! The place on a raster of a frequency that is \p offset above the origin.
std::optional<raster_place> place_of(phase64 offset, std::size_t size)
{
    // A piece of 2^19 items is then exact enough.
    constexpr double max_error = 0x1p-43;
    const double error = std::abs((offset * size).turns()) / static_cast<double>(size);
    if (!(error <= max_error))
        return {};
    const auto turns = static_cast<double>(size) * offset.turns();
    const auto place = static_cast<std::int64_t>(std::llround(turns));
    const auto all = static_cast<std::int64_t>(size);
    return raster_place{ static_cast<std::size_t>((place % all + all) % all), error };
}

} // namespace

std::vector<std::size_t> dft_bank_radices(std::size_t size)
{
    std::vector<std::size_t> all;
    for (const std::size_t radix : { 16, 5, 3 })
        for (; size && size % radix == 0; size /= radix)
            all.push_back(radix);
    if (size == 2 && !all.empty() && all.front() == 16) {
        // A pass of radix 2 does little work for its way through the memory.
        all.erase(all.begin());
        all.insert(all.end(), { 8, 4 });
    } else if (size > 1) {
        all.push_back(size);
    }
    std::sort(all.rbegin(), all.rend());
    const bool is_product = size == 0 ? false : is_power_of_two(size);
    return is_product && all.size() <= max_passes ? all : std::vector<std::size_t>();
}

std::size_t dft_bank_shape::local_bytes() const
{
    return (outputs * transform_places(size) + window) * transform_value_bytes;
}

std::string dft_bank_shape::build_options(sample_type input) const
{
    std::string text =
        item_options(input) + " -DSIZE=" + std::to_string(size) +
        " -DITEMS=" + std::to_string(items) + " -DOUTPUTS=" + std::to_string(outputs) +
        " -DPARTS=" + std::to_string(parts) + " -DWINDOW=" + std::to_string(window);
    auto radices = dft_bank_radices(size);
    radices.resize(max_passes, 1);
    for (std::size_t i = 0; i < max_passes; i++)
        text += " -DPASS_" + std::to_string(i + 1) + "=" + std::to_string(radices[i]);
    return long_sums ? text + " -DLONG_SUMS" : text;
}

std::size_t max_dft_bank_size(const device_limits& limits)
{
    constexpr std::size_t values_of_item = 64;
    std::size_t size = std::min({ max_raster_size,
                                  limits.local_memory / transform_value_bytes,
                                  values_of_item * max_group(limits) });
    while (size && transform_places(size) * transform_value_bytes > limits.local_memory)
        --size;
    return size;
}

dft_bank_shape suggested_dft_bank(const device_limits& limits,
                                  std::size_t size,
                                  std::size_t decimation,
                                  std::size_t max_taps)
{
    // Measured on an NVIDIA H100, for 64 and 1024 channels: work-groups of 256 work-items
    // with 8 to 16 values each are the fastest. Longer runs of outputs fill whole
    // sectors of the memory.
    constexpr std::size_t usual_items = 256, usual_outputs = 32;
    constexpr std::size_t max_values = 16, min_values = 8; // of a work-item
    // With fewer products for each value, items that are read again come from the caches.
    constexpr std::size_t products_for_window = 4;
    dft_bank_shape shape;
    shape.size = size;
    shape.long_sums = max_taps > sum_taps * size;
    const std::size_t most = std::min(usual_items, power_of_two_up_to(max_group(limits)));
    while (shape.outputs < usual_outputs && 2 * shape.outputs * size <= max_values * most)
        shape.outputs *= 2;
    // A block is the smallest piece of a call.
    constexpr std::size_t max_block_items = std::size_t(1) << 18;
    while (shape.outputs > 1 && (shape.local_bytes() > limits.local_memory ||
                                 shape.outputs * decimation > max_block_items))
        shape.outputs /= 2;
    shape.items = std::clamp<std::size_t>(
        power_of_two_up_to(std::max<std::size_t>(1, shape.outputs * size / min_values)),
        1,
        most);
    shape.parts = std::min(
        shape.outputs, power_of_two_up_to(std::max<std::size_t>(1, shape.items / size)));
    auto with_window = shape;
    with_window.window = (shape.outputs - 1) * decimation + max_taps;
    return limits.fast_local_memory && max_taps >= products_for_window * size &&
                   with_window.local_bytes() <= limits.local_memory
               ? with_window
               : shape;
}

std::optional<raster_place> place_on_raster(const filter_channel& channel,
                                            const filter_channel& origin,
                                            std::size_t size)
{
    const auto found = place_of(channel.step - origin.step, size);
    return found && channel.problem.taps == origin.problem.taps ? found : std::nullopt;
}

std::size_t max_raster_items(double error)
{
    constexpr double max_turns = 0x1p-24;
    constexpr auto most = static_cast<double>(max_elements_per_call);
    return static_cast<std::size_t>(error * most > max_turns ? max_turns / error : most);
}

std::size_t find_raster(const std::vector<filter_channel>& channels, std::size_t max_size)
{
    const auto& origin = channels.front();
    const auto all_are = [&](const auto& condition) {
        return std::all_of(channels.begin(), channels.end(), condition);
    };
    // Long lists of taps are compared once, not for each size.
    if (!all_are([&](const auto& channel) {
            return channel.problem.taps == origin.problem.taps;
        }))
        return 0;
    for (std::size_t size = 2; size <= max_size; ++size)
        if (!dft_bank_radices(size).empty() && all_are([&](const auto& channel) {
                return place_of(channel.step - origin.step, size).has_value();
            }))
            return size;
    return 0;
}

dft_bank::dft_bank(std::shared_ptr<context> device,
                   const cl::CommandQueue& queue,
                   const dft_bank_shape& shape,
                   sample_type input)
    : d_device(std::move(device)), d_queue(queue), d_shape(shape)
{
    const auto roots = stockham_roots(dft_bank_radices(shape.size));
    d_roots.set(d_device, d_queue, roots.data(), roots.size() * transform_value_bytes);
    replace(
        d_kernel,
        cl::Kernel(d_device->build("dft_bank", shape.build_options(input)), "dft_bank"));
    check_group_size(*d_device, d_kernel, shape.items, "dft_bank");
}

void dft_bank::enqueue(const launch& what, std::vector<cl::Event>& events)
{
    set_args(d_kernel,
             what.in.buffer,
             word(what.in.offset),
             what.taps,
             word(what.tap_count),
             word(what.decimation),
             phase_words(what.step),
             d_roots.buffer(),
             what.places,
             what.factors,
             word(what.channels),
             word(what.outputs),
             what.out,
             word(0),
             word(what.outputs));
    events.push_back(enqueue_kernel(
        *d_device,
        d_queue,
        d_kernel,
        cl::NDRange(divide_up(what.outputs, d_shape.outputs) * d_shape.items),
        cl::NDRange(d_shape.items)));
}

} // namespace cldsp
