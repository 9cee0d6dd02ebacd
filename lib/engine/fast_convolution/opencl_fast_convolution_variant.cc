// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The list of these variants, their candidates and predictions.

#include "fast_convolution/opencl_fast_convolution_variant.h"

#include "direct/opencl_direct_variant.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "filter/device_cost.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

fast_convolution_problem problem_of(const plan_shape& shape)
{
    return { shape.input, shape.decimation, shape.taps, shape.channels };
}

} // namespace

opencl_fast_convolution_variant::opencl_fast_convolution_variant(
    std::string its_name, std::string its_description)
    : filter_variant({ std::move(its_name),
                       std::move(its_description),
                       false,
                       true,
                       "fast_convolution" })
{
}

const std::vector<const opencl_fast_convolution_variant*>&
opencl_fast_convolution_variants()
{
    static const auto& all = *new std::vector<const opencl_fast_convolution_variant*>{
        &fused_fold_variant(),
        &tiled_fold_variant(),
        &tensor_fold_variant(),
        &vkfft_variant(),
    };
    return all;
}

const opencl_fast_convolution_variant&
opencl_fast_convolution_named(const std::string& name)
{
    std::string known;
    for (const auto* one : opencl_fast_convolution_variants()) {
        if (one->name == name)
            return *one;
        known += (known.empty() ? "" : ", ") + one->name;
    }
    throw_invalid("variant", "'" + name + "'", known);
}

channel_bytes::channel_bytes(const plan_shape& shape, std::size_t ifft_size)
    : outputs(static_cast<double>(ifft_size) * value_bytes),
      bins(
          std::max(outputs, outputs * shape.kept * static_cast<double>(shape.decimation)))
{
}

bool opencl_fast_convolution_variant::may_gain(const filter_task& task,
                                               const plan_place& place) const
{
    if (!task.named.allows_on_device(name, place.device))
        return false;
    if (!is_small_gpu(place.device))
        return true;
    constexpr std::size_t any_rows = 16;
    return this != &vkfft_variant() &&
           forward_transform_missing(place.device.limits, any_rows, task.shape.decimation)
               .empty();
}

std::vector<std::size_t>
opencl_fast_convolution_variant::block_sizes(const filter_task& task,
                                             const plan_place& place) const
{
    const std::size_t size = planned_size(task, place);
    // If no block takes these taps, VkFFT's variant stays, because its error names the
    // limit.
    if (!size && this != &vkfft_variant())
        return {};
    return { size };
}

double opencl_fast_convolution_variant::predict(const plan_shape& shape,
                                                const plan_place& place,
                                                std::size_t ifft_size,
                                                const host_rates& host) const
{
    if (ifft_size == 0)
        return direct_device_seconds(shape, place, host);
    const std::size_t a_block = block_outputs(shape, ifft_size);
    if (a_block == 0)
        return std::numeric_limits<double>::infinity();
    const auto rates = estimated_rates(place.device);
    const auto channels = static_cast<double>(shape.channels);
    const auto blocks = static_cast<double>((shape.outputs() + a_block - 1) / a_block);
    const auto m = static_cast<double>(ifft_size);
    const double items = m * static_cast<double>(shape.decimation);
    const double operations =
        5 * items * std::log2(items) +
        channels * (8 * std::max(shape.kept * items, m) + 5 * m * std::log2(m));
    const auto its = work(shape, place.device, ifft_size);
    // Further kernels of a call follow the first one without a wait.
    constexpr double further_kernel = 0.15;
    return device_seconds(shape,
                          place,
                          rates.fft_flop * blocks * operations +
                              rates.memory * blocks * channels * its.bytes +
                              rates.call * further_kernel * its.kernels,
                          1,
                          host);
}

std::unique_ptr<filter_executor> opencl_fast_convolution_variant::make(
    const filter_task& task, const plan_place& place, std::size_t ifft_size) const
{
    return make_opencl_fast_convolution(task.registry->get(place.device),
                                        name,
                                        place.transfer,
                                        task.channels,
                                        task.options.accuracy,
                                        ifft_size,
                                        tuned(task, place));
}

tuning_values opencl_fast_convolution_variant::tuned(const filter_task& task,
                                                     const plan_place& place) const
{
    const auto problem = problem_of(task.shape);
    return task.tuned().of(place.device,
                           name,
                           fast_convolution_tuning_problem(problem, task.shape.items),
                           [&](const device_info& where) {
                               return one_channel_parameters(name, where, problem);
                           });
}

//! The size of the inverse transform to plan with; 0 if no block fits the device.
std::size_t opencl_fast_convolution_variant::planned_size(const filter_task& task,
                                                          const plan_place& place) const
{
    const auto values = tuned(task, place);
    const auto device = task.registry->lowered(place.device);
    const auto& shape = task.shape;
    try {
        const std::size_t size = fast_convolution_size(
            name, device, shape.decimation, shape.taps, shape.channels, shape.outputs());
        const auto chosen = fast_convolution_values(
            name, device, task.registry->options(), problem_of(shape), size, values);
        return static_cast<std::size_t>(chosen.at("ifft_size"));
    } catch (const std::invalid_argument&) {
        return 0;
    }
}

double opencl_fast_convolution_variant::operations(const counted_filter& filter) const
{
    return overlap_save_selected_bins_method().operations(filter);
}

} // namespace cldsp
