/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/opencl_fast_convolution_variant.h"

#include "direct/opencl_direct_variant.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "fast_convolution/tuned_fast_convolutions.h"
#include "filter/device_cost.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace cldsp {

namespace {

tuned_fast_convolutions tuned_for(const filter_task& task)
{
    return { *task.registry, task.tuned(), task.shape };
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
    return task.named.allows_on_device(name, place.device);
}

std::vector<std::size_t>
opencl_fast_convolution_variant::block_sizes(const filter_task& task,
                                             const plan_place& place) const
{
    const std::size_t size = tuned_for(task).ifft_size(place.device, name);
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
    return tuned_for(task).of(place.device, name);
}

double opencl_fast_convolution_variant::operations(const counted_filter& filter) const
{
    return overlap_save_selected_bins_method().operations(filter);
}

} // namespace cldsp
