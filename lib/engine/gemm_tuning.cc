/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_tuning.h"
#include "tuning_choice.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace cldsp {

namespace {

tuning_values values_of(const gemm_gpu_parameters& p)
{
    const auto value = [](std::size_t of) { return static_cast<std::int64_t>(of); };
    return { { "group_rows", value(p.group_rows) },
             { "group_columns", value(p.group_columns) },
             { "item_rows", value(p.item_rows) },
             { "item_columns", value(p.item_columns) },
             { "depth", value(p.depth) } };
}

tuning_values suggested_values(const gemm_place& place, gemm_type type)
{
    if (!place.is_cpu_tile())
        return values_of(gemm_gpu_parameters::defaults(type).front().fitted(
            type, place.device.limits));
    const gemm_cpu_parameters p(type, place.device.limits.native_vector_width_float);
    const auto value = [](std::size_t of) { return static_cast<std::int64_t>(of); };
    return { { "width", value(p.width) },
             { "rows", value(p.rows) },
             { "vectors", value(p.vectors) },
             { "block_rows", value(p.block_rows) },
             { "block_k", value(p.block_k) } };
}

tuning_space gpu_space(gemm_type type, const device_limits& limits)
{
    const bool is_complex = type == gemm_type::c32;
    const std::int64_t planes = is_complex ? 2 : 1;
    const std::vector<std::int64_t> groups{ 1, 2, 4, 8, 16, 32, 64 };
    // Items are in 16 bytes.
    const auto items = is_complex ? std::vector<std::int64_t>{ 2, 4, 6, 8 }
                                  : std::vector<std::int64_t>{ 4, 8, 12, 16 };
    const auto depths = is_complex ? std::vector<std::int64_t>{ 2, 4, 8, 16, 32, 64 }
                                   : std::vector<std::int64_t>{ 4, 8, 16, 32, 64 };
    return tuning_space(
        { { "group_rows", groups },
          { "group_columns", groups },
          { "item_rows", items },
          { "item_columns", items },
          { "depth", depths } },
        { { "work-items of a group",
            [limits](const tuning_point& p) {
                const auto g = gemm_gpu_parameters_of(p.by_name());
                return g.items() <= limits.max_work_group_size &&
                       g.group_rows <= limits.max_work_item_sizes[1] &&
                       g.group_columns <= limits.max_work_item_sizes[0];
            } },
          { "local memory",
            [limits, type](const tuning_point& p) {
                return gemm_gpu_parameters_of(p.by_name()).local_memory(type) <=
                       limits.local_memory;
            } },
          // What compilers take ever longer for, and no device has registers for.
          { "unrolled steps", [planes](const tuning_point& p) {
               const std::int64_t sums = p["item_rows"] * p["item_columns"] * planes;
               return sums <= 64 && sums * p["depth"] <= 2048;
           } } });
}

} // namespace

tuning_place gemm_place::for_wisdom() const
{
    return { family(), device, options, is_cpu_tile() ? "gemm_cpu" : "gemm_gpu" };
}

tuning_space gemm_tuning_space(const gemm_place& place, gemm_type type)
{
    if (!place.is_cpu_tile())
        return gpu_space(type, place.device.limits);
    const auto suggested = suggested_values(place, type);
    const auto parameter = [&](const char* name, const std::set<std::int64_t>& values) {
        return with(name, values, suggested.at(name));
    };
    const bool is_complex = type == gemm_type::c32;
    const std::int64_t planes = is_complex ? 2 : 1;
    return tuning_space(
        { parameter("width", { 4, 8, 16 }),
          parameter("rows", { 1, 2, 3, 4, 5, 6, 8, 10, 12, 16 }),
          parameter("vectors",
                    is_complex ? std::set<std::int64_t>{ 1, 2 }
                               : std::set<std::int64_t>{ 1, 2, 3, 4 }),
          parameter("block_rows", { 16, 32, 64, 128, 256, 512, 1024 }),
          parameter("block_k", { 64, 128, 256, 512, 1024, 2048 }) },
        // What compilers take ever longer for, and no device has registers for.
        { { "sums in registers", [planes](const tuning_point& p) {
               return p["rows"] * p["vectors"] * planes <= 48;
           } } });
}

tuning_problem gemm_tuning_problem(gemm_type type, const gemm_shape& shape)
{
    return { type_name(type),
             { { "m", static_cast<double>(shape.m) },
               { "n", static_cast<double>(shape.n) },
               { "k", static_cast<double>(shape.k) } } };
}

tuning_values
gemm_values(const gemm_place& place, gemm_type type, const tuning_values& tuned)
{
    return chosen_values(
        suggested_values(place, type),
        place.family(),
        place.options,
        tuned,
        [&](const tuning_values&) { return gemm_tuning_space(place, type); });
}

tuning_values
untuned_gemm_values(const gemm_place& place, gemm_type type, const gemm_shape& shape)
{
    if (place.is_cpu_tile() || place.has_defaults_given())
        return gemm_values(place, type);
    const auto& limits = place.device.limits;
    auto choices = gemm_gpu_parameters::defaults(type);
    for (auto& p : choices)
        p = p.fitted(type, limits);
    return values_of(
        choices[gemm_gpu_parameters::best_of(choices, shape, limits.compute_units)]);
}

tuning_values tuned_gemm_values(wisdom& all,
                                const gemm_place& place,
                                gemm_type type,
                                const gemm_shape& shape)
{
    const auto fits = [&](const tuning_values& values) {
        return gemm_tuning_space(place, type).why_not(values, tuning_point()).empty();
    };
    const auto answer =
        recall_tuning(all, place.for_wisdom(), gemm_tuning_problem(type, shape), fits);
    return answer ? answer->values : tuning_values();
}

const tuning_values& tuned_gemms::of(device_info device, const std::string& variant)
{
    const auto [found, missing] =
        d_found.emplace(device.id() + " " + variant, tuning_values());
    if (missing && gemm_can_be_tuned(variant)) {
        const auto& options = d_registry.options();
        device.limits = device.limits.lowered(options.profile);
        found->second = tuned_gemm_values(
            d_registry.wisdom(), { variant, device, options }, d_type, d_shape);
    }
    return found->second;
}

std::string tuned_gemms::text() const { return tuned_text(d_found); }

gemm_cpu_parameters gemm_cpu_parameters_of(gemm_type type, const tuning_values& values)
{
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(values.at(name));
    };
    gemm_cpu_parameters p(type, value("width"));
    p.rows = value("rows");
    p.vectors = value("vectors");
    p.block_rows = value("block_rows");
    p.block_k = value("block_k");
    return p;
}

gemm_gpu_parameters gemm_gpu_parameters_of(const tuning_values& values)
{
    const auto value = [&](const char* name) {
        return static_cast<std::size_t>(values.at(name));
    };
    return { value("group_rows"),
             value("group_columns"),
             value("item_rows"),
             value("item_columns"),
             value("depth") };
}

} // namespace cldsp
