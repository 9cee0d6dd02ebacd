/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_tuning.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

namespace cldsp {

namespace {

tuning_values suggested_values(const fir_place& place, const filter_channel& setup)
{
    const auto& limits = place.device.limits;
    if (place.is_cpu_tile()) {
        const auto t = cpu_shape(setup, limits.native_vector_width_float).tuning();
        return { { "width", t.width },
                 { "tile_outputs", t.tile_outputs },
                 { "tile_taps", t.tile_taps },
                 { "scratch_items", t.scratch_items },
                 { "item_cycles", t.item_cycles } };
    }
    const auto l = suggested_gpu_layout(setup, limits);
    return { { "sums_in_group", l.sums_in_group },
             { "group", l.group },
             { "outputs", l.outputs },
             { "chunk", l.chunk } };
}

tuning_space cpu_space(const tuning_values& suggested, std::size_t planes)
{
    const auto parameter = [&](const char* name, const std::set<std::int64_t>& values) {
        return with(name, values, suggested.at(name));
    };
    return tuning_space(
        { parameter("width", { 4, 8, 16 }),
          parameter("tile_outputs", { 1, 2, 3, 4, 6, 8, 10, 12, 16 }),
          parameter("tile_taps", { 1, 2, 3, 4, 5, 6, 7, 8 }),
          parameter("scratch_items", { 2048, 4096, 8192, 12288, 16384, 24576, 49152 }),
          parameter("item_cycles", { 2000, 5000, 15000, 40000, 120000 }) },
        // What compilers take ever longer for, and no device has registers for.
        { { "unrolled steps", [planes](const tuning_point& p) {
               const std::int64_t steps = p["tile_outputs"] * p["tile_taps"];
               return static_cast<std::size_t>(steps) * planes <= 96;
           } } });
}

bool is_power_of_two(std::int64_t value) { return (value & (value - 1)) == 0; }

tuning_space gpu_space(const tuning_values& suggested,
                       const device_limits& limits,
                       const std::vector<std::int64_t>& more_groups)
{
    const std::int64_t most = largest_group(limits);
    auto groups = powers_of_two(most);
    for (const auto group : more_groups)
        if (group >= 1 && group <= most)
            groups.insert(group);
    return tuning_space(
        { with("sums_in_group", { 0, 1 }, suggested.at("sums_in_group")),
          with("group", groups, suggested.at("group")),
          with("outputs", { 1, 2, 3, 4, 6, 8, 12, 16 }, suggested.at("outputs")),
          with("chunk", { 16, 32, 64, 128, 256 }, suggested.at("chunk")) },
        { { "halves of a group",
            [](const tuning_point& p) {
                return p["sums_in_group"] == 0 || is_power_of_two(p["group"]);
            } },
          { "local memory", [local = limits.local_memory](const tuning_point& p) {
               return gpu_layout_of(p.by_name()).local_bytes() <= local;
           } } });
}

} // namespace

tuning_space fir_tuning_space(const fir_place& place,
                              const filter_channel& setup,
                              const std::vector<std::int64_t>& groups)
{
    const auto suggested = suggested_values(place, setup);
    if (!place.is_cpu_tile())
        return gpu_space(suggested, place.device.limits, groups);
    const bool two_planes = is_complex(setup.problem.input) && !setup.real_taps;
    return cpu_space(suggested, two_planes ? 2 : 1);
}

tuning_space fir_tuning_space_for(const tuning_values& values,
                                  const fir_place& place,
                                  const filter_channel& setup)
{
    const auto group = values.find("group");
    if (group == values.end())
        return fir_tuning_space(place, setup);
    return fir_tuning_space(place, setup, { group->second });
}

tuning_problem fir_tuning_problem(const filter_channel& setup, std::size_t items)
{
    return { std::string(sample_type_name(setup.problem.input)) +
                 (setup.real_taps ? ", real taps" : ", complex taps"),
             { { "taps", static_cast<double>(setup.taps()) },
               { "decimation", static_cast<double>(setup.problem.decimation) },
               { "items", static_cast<double>(items) } } };
}

tuning_values fir_values(const fir_place& place,
                         const filter_channel& setup,
                         const tuning_values& tuned)
{
    return chosen_values(
        suggested_values(place, setup), place, tuned, [&](const tuning_values& values) {
            return fir_tuning_space_for(values, place, setup);
        });
}

tuning_values tuned_fir_values(wisdom& all,
                               const fir_place& place,
                               const filter_channel& setup,
                               std::size_t items)
{
    return recalled_values(
        all, place, fir_tuning_problem(setup, items), [&](const tuning_values& values) {
            return fir_tuning_space_for(values, place, setup);
        });
}

const tuning_values& tuned_firs::of(const device_info& device,
                                    const std::string& variant,
                                    const filter_channel& setup)
{
    return d_lookup.of(
        device,
        variant,
        fir_tuning_problem(setup, d_items).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return is_tiled(variant)
                       ? tuned_fir_values(all, { variant, where, with }, setup, d_items)
                       : tuning_values();
        });
}

cpu_tuning cpu_tuning_of(const tuning_values& values)
{
    return { size_of(values, "width"),
             size_of(values, "tile_outputs"),
             size_of(values, "tile_taps"),
             size_of(values, "scratch_items"),
             size_of(values, "item_cycles") };
}

gpu_layout gpu_layout_of(const tuning_values& values)
{
    return { size_of(values, "sums_in_group") != 0,
             size_of(values, "group"),
             size_of(values, "outputs"),
             size_of(values, "chunk") };
}

} // namespace cldsp
