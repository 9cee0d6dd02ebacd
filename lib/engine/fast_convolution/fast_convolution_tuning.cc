/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/fast_convolution_tuning.h"

#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

//! Sizes that VkFFT takes without Bluestein's algorithm: 2^n, and 5, 6 and 7 times 2^n.
//! Each is about a fifth larger than the one before.
std::set<std::int64_t> rows_grid(std::size_t least, std::size_t most)
{
    std::set<std::int64_t> ifft_size;
    for (std::size_t power = 1; power <= most; power *= 2)
        for (std::size_t quarters = 4; quarters < 8; quarters++) {
            const std::size_t value = power * quarters / 4;
            if (power * quarters % 4 == 0 && value >= least && value <= most)
                ifft_size.insert(static_cast<std::int64_t>(value));
        }
    return ifft_size;
}

std::size_t lost_rows(const fast_convolution_problem& problem)
{
    return (problem.max_taps - 1) / problem.decimation;
}

//! The sizes at which the overlap leaves some valid outputs, up to twice the size that a
//! typical call fills.
std::set<std::int64_t> useful_sizes(const fast_convolution_place& place,
                                    const fast_convolution_problem& problem,
                                    std::size_t items)
{
    const auto sizes = ifft_sizes_of(place.variant, place.device, problem.decimation);
    const std::size_t lost = lost_rows(problem);
    const std::size_t least = lost + 1 + lost / 8;
    std::size_t most = sizes.most;
    if (items) {
        const std::size_t needed = items / problem.decimation + lost + 2;
        most = std::min(most, 2 * std::max(needed, 2 * least));
    }
    auto grid = rows_grid(least, most);
    for (auto size = grid.begin(); size != grid.end();)
        size = sizes.contains(static_cast<std::size_t>(*size)) ? std::next(size)
                                                               : grid.erase(size);
    return grid;
}

//! Powers of two, in KiB, up to the size of a typical call with much overlap.
std::set<std::int64_t> useful_pipelines(const device_info& device, std::size_t items)
{
    constexpr std::size_t value_bytes = 8, overlap = 4, min_kib = 256;
    std::size_t most = std::min(device.limits.max_buffer / 2, std::size_t(64) << 20);
    if (items)
        most = std::min(most, overlap * items * value_bytes);
    std::set<std::int64_t> pipelines;
    for (std::size_t kib = min_kib; kib * 1024 <= most; kib *= 2)
        pipelines.insert(static_cast<std::int64_t>(kib));
    return pipelines;
}

} // namespace

std::string kernel_file_of(const std::string& variant)
{
    return opencl_fast_convolution_named(variant).kernel_file();
}

tuning_space fast_convolution_tuning_space(const fast_convolution_place& place,
                                           const fast_convolution_problem& problem,
                                           std::size_t items,
                                           const tuning_values& suggested)
{
    const auto& device = place.device;
    auto all = opencl_fast_convolution_named(place.variant)
                   .parameters(device, problem, suggested);
    const auto parameter = [&](const char* name, const std::set<std::int64_t>& values) {
        return with(name, values, suggested.at(name));
    };
    std::vector<tuning_parameter> parameters{
        parameter("ifft_size", useful_sizes(place, problem, items)),
        parameter("pipeline_kib", useful_pipelines(device, items))
    };
    parameters.insert(parameters.end(), all.parameters.begin(), all.parameters.end());
    return tuning_space(std::move(parameters), std::move(all.constraints));
}

tuning_problem fast_convolution_tuning_problem(const fast_convolution_problem& problem,
                                               std::size_t items)
{
    return { sample_type_name(problem.input),
             { { "taps", static_cast<double>(problem.max_taps) },
               { "decimation", static_cast<double>(problem.decimation) },
               { "items", static_cast<double>(items) } } };
}

tuning_values suggested_values(const fast_convolution_place& place,
                               const fast_convolution_problem& problem,
                               std::size_t ifft_size)
{
    if (!ifft_size)
        ifft_size = fast_convolution_size(place.variant,
                                          place.device,
                                          problem.decimation,
                                          problem.max_taps,
                                          problem.channels);
    const auto block = make_fast_convolution_block(
        place.variant, place.device, problem.decimation, problem.max_taps, ifft_size);
    const std::size_t pipeline = usual_pipeline_bytes(place.device);
    const auto shape = make_pipeline_shape(
        place.variant, place.device, block, problem.input, problem.channels, pipeline);
    const auto value = [](std::size_t size) { return static_cast<std::int64_t>(size); };
    tuning_values values{ { "ifft_size", value(block.ifft_size) },
                          { "pipeline_kib", value(pipeline / 1024) } };
    for (const auto& [name, size] : shape.fold->values())
        values[name] = size;
    if (!shape.fold->by_rows()) {
        values["group"] = value(shape.group);
        values["fold_blocks"] = value(shape.fold_blocks);
    }
    return values;
}

tuning_values fast_convolution_values(const fast_convolution_place& place,
                                      const fast_convolution_problem& problem,
                                      std::size_t ifft_size,
                                      const tuning_values& tuned)
{
    const auto suggested = suggested_values(place, problem, ifft_size);
    auto changes = tuned;
    // The values were tuned for one channel and say nothing about a fold of many
    // channels. Where rows are folded this concerns the transforms of the channels, too.
    if (problem.channels > 1) {
        changes.erase("fold_blocks");
        if (opencl_fast_convolution_named(place.variant).folds_rows())
            for (const char* name : { "ifft_size", "items", "blocks", "values" })
                changes.erase(name);
    }
    return chosen_values(suggested, place, changes, [&](const tuning_values&) {
        return fast_convolution_tuning_space(place, problem, 0, suggested);
    });
}

tuning_values tuned_fast_convolution_values(wisdom& all,
                                            const fast_convolution_place& place,
                                            const fast_convolution_problem& problem,
                                            std::size_t items)
{
    try {
        // The stored values were tuned for one channel.
        auto single = problem;
        single.channels = 1;
        const auto suggested = suggested_values(place, single, 0);
        return recalled_values(all,
                               place,
                               fast_convolution_tuning_problem(single, items),
                               [&](const tuning_values&) {
                                   return fast_convolution_tuning_space(
                                       place, single, 0, suggested);
                               });
    } catch (const std::invalid_argument&) {
        return {}; // no block fits the device
    }
}

} // namespace cldsp
