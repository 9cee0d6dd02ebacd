// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The block and batch sizes that are worth trying for one problem.

#include "fast_convolution/fast_convolution_tuning.h"

#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

//! The sizes of the inverse transform: those that VkFFT takes without Bluestein's
//! algorithm, 2^n and 3, 5 and 7 times 2^n, and at which the overlap leaves some valid
//! outputs. Each is about a fifth larger than the one before.
kernel_parameter ifft_size_parameter(const ifft_sizes& sizes,
                                     const fast_convolution_problem& problem,
                                     std::size_t usual,
                                     std::size_t items)
{
    const std::size_t lost = (problem.max_taps - 1) / problem.decimation;
    const std::size_t least = lost + 1 + lost / 8;
    const auto is_valid = [=](std::int64_t value) {
        const auto size = static_cast<std::size_t>(value);
        return value > 0 && size >= least && sizes.contains(size) &&
               size / (size & (~size + 1)) <= 7;
    };
    // A search goes up to twice the size that a typical call fills.
    std::size_t most = sizes.most;
    if (items) {
        const std::size_t needed = items / problem.decimation + lost + 2;
        most = std::min(most, 2 * std::max(needed, 2 * least));
    }
    std::vector<std::int64_t> values;
    for (std::size_t power = 1; power <= most; power *= 2)
        for (const std::size_t odd : { 1, 3, 5, 7 })
            if (power * odd <= most && is_valid(static_cast<std::int64_t>(power * odd)))
                values.push_back(static_cast<std::int64_t>(power * odd));
    return { "ifft_size", static_cast<std::int64_t>(usual), std::move(values), is_valid };
}

//! Powers of two, in KiB. A search goes up to the size of a typical call with much
//! overlap.
kernel_parameter
pipeline_parameter(const device_info& device, std::size_t usual_bytes, std::size_t items)
{
    constexpr std::size_t value_bytes = 8, overlap = 4, min_kib = 256;
    const std::size_t most =
        std::min(device.limits.max_buffer / 2, std::size_t(64) << 20);
    const auto is_valid = [most](std::int64_t kib) {
        const auto size = static_cast<std::size_t>(kib);
        return kib > 0 && size >= min_kib && is_power_of_two(size) && size * 1024 <= most;
    };
    const std::size_t searched =
        items ? std::min(most, overlap * items * value_bytes) : most;
    std::vector<std::int64_t> values;
    for (std::size_t kib = min_kib; kib * 1024 <= searched; kib *= 2)
        values.push_back(static_cast<std::int64_t>(kib));
    return { "pipeline_kib",
             static_cast<std::int64_t>(usual_bytes / 1024),
             std::move(values),
             is_valid };
}

} // namespace

kernel_parameters fast_convolution_parameters(const std::string& variant,
                                              const device_info& device,
                                              const fast_convolution_problem& problem,
                                              std::size_t ifft_size,
                                              std::size_t items)
{
    if (!ifft_size)
        ifft_size = fast_convolution_size(
            variant, device, problem.decimation, problem.max_taps, problem.channels);
    const auto block = make_fast_convolution_block(
        variant, device, problem.decimation, problem.max_taps, ifft_size);
    const std::size_t pipeline = usual_pipeline_bytes(device);
    const auto shape = make_pipeline_shape(
        variant, device, block, problem.input, problem.channels, pipeline);
    const auto& its = opencl_fast_convolution_named(variant);
    auto fold = its.parameters(device, problem, shape);
    std::vector<kernel_parameter> all{
        ifft_size_parameter(ifft_sizes_of(variant, device, problem.decimation),
                            problem,
                            block.ifft_size,
                            items),
        pipeline_parameter(device, pipeline, items)
    };
    all.insert(all.end(), fold.parameters.begin(), fold.parameters.end());
    return { { "fast_convolution_" + variant, its.kernel_file() },
             std::move(all),
             std::move(fold.constraints) };
}

std::optional<kernel_parameters>
one_channel_parameters(const std::string& variant,
                       const device_info& device,
                       const fast_convolution_problem& problem)
{
    auto one = problem;
    one.channels = 1;
    try {
        return fast_convolution_parameters(variant, device, one);
    } catch (const std::invalid_argument&) {
        return std::nullopt;
    }
}

tuning_problem fast_convolution_tuning_problem(const fast_convolution_problem& problem,
                                               std::size_t items)
{
    return { sample_type_name(problem.input),
             { { "taps", static_cast<double>(problem.max_taps) },
               { "decimation", static_cast<double>(problem.decimation) },
               { "items", static_cast<double>(items) } } };
}

tuning_values fast_convolution_values(const std::string& variant,
                                      const device_info& device,
                                      const context_options& options,
                                      const fast_convolution_problem& problem,
                                      std::size_t ifft_size,
                                      const tuning_values& tuned)
{
    auto changes = tuned;
    // The values were tuned for one channel and say nothing about a fold of many
    // channels. Where rows are folded this concerns the transforms of the channels, too.
    if (problem.channels > 1) {
        changes.erase("fold_blocks");
        if (opencl_fast_convolution_named(variant).folds_rows())
            for (const char* name : { "ifft_size", "items", "blocks", "values" })
                changes.erase(name);
    }
    return fast_convolution_parameters(variant, device, problem, ifft_size)
        .chosen(options, changes);
}

} // namespace cldsp
