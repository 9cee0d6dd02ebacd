/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_tuning.h"

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
        suggested_values(place, type), place, tuned, [&](const tuning_values&) {
            return gemm_tuning_space(place, type);
        });
}

tuning_values
untuned_gemm_values(const gemm_place& place, gemm_type type, const gemm_shape& shape)
{
    if (place.is_cpu_tile() || place.defaults_given())
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
    return recalled_values(
        all, place, gemm_tuning_problem(type, shape), [&](const tuning_values&) {
            return gemm_tuning_space(place, type);
        });
}

const tuning_values& tuned_gemms::of(const device_info& device,
                                     const std::string& variant)
{
    return d_lookup.of(
        device,
        variant,
        gemm_tuning_problem(d_type, d_shape).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return is_tiled(variant)
                       ? tuned_gemm_values(all, { variant, where, with }, d_type, d_shape)
                       : tuning_values();
        });
}

gemm_cpu_parameters gemm_cpu_parameters_of(gemm_type type, const tuning_values& values)
{
    gemm_cpu_parameters p(type, size_of(values, "width"));
    p.rows = size_of(values, "rows");
    p.vectors = size_of(values, "vectors");
    p.block_rows = size_of(values, "block_rows");
    p.block_k = size_of(values, "block_k");
    return p;
}

gemm_gpu_parameters gemm_gpu_parameters_of(const tuning_values& values)
{
    return { size_of(values, "group_rows"),
             size_of(values, "group_columns"),
             size_of(values, "item_rows"),
             size_of(values, "item_columns"),
             size_of(values, "depth") };
}

} // namespace cldsp
