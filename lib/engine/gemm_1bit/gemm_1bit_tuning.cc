/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_tuning.h"

#include "base/arithmetic.h"
#include "gemm_1bit/gemm_1bit_kernel.h"

#include <cstdint>
#include <vector>

namespace cldsp {

namespace {

std::int64_t value(std::size_t of) { return static_cast<std::int64_t>(of); }

tuning_values suggested_values(const gemm_1bit_place& place)
{
    const auto& limits = place.device.limits;
    return place.is_cpu_tile() ? gemm_1bit_cpu_parameters(limits).values()
                               : gemm_1bit_gpu_parameters(limits).values();
}

tuning_constraint panel_fits(const device_limits& limits,
                             std::function<std::size_t(const tuning_values&)> bytes)
{
    return { "a panel of codes in a buffer",
             [most = gemm_1bit_kernel::max_table_bytes(limits),
              bytes = std::move(bytes)](const tuning_point& p) {
                 return bytes(p.by_name()) <= most;
             } };
}

tuning_space cpu_space(const device_limits& limits, std::size_t bits)
{
    const std::size_t code_bytes = divide_up(bits, 64) * sizeof(cl_ulong);
    return tuning_space(
        { { "codes", { 2, 4, 8, 16 } },
          { "block_words", { 32, 64, 128, 256, value(gemm_1bit_max_words) } },
          { "items", { 8, 16, 32, 64, 128, 512 } },
          { "item_bits", { 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26 } } },
        { panel_fits(limits, [code_bytes](const tuning_values& values) {
            return size_of(values, "codes") * code_bytes;
        }) });
}

tuning_space
gpu_space(const tuning_values& suggested, const device_limits& limits, std::size_t bits)
{
    const std::vector<std::int64_t> groups{ 1, 2, 4, 8, 16, 32, 64 };
    const auto each = std::set<std::int64_t>{ 1, 2, 4, 8 };
    return tuning_space(
        { { "group_codes", groups },
          { "group_items", groups },
          with("each_codes", each, suggested.at("each_codes")),
          with("each_items", each, suggested.at("each_items")),
          { "depth", { 2, 4, 8, 16, 32, 64 } } },
        { { "work-items and local memory of a group",
            [limits](const tuning_point& p) {
                return gemm_1bit_gpu_parameters(p.by_name()).fits(limits);
            } },
          // What compilers take ever longer for, and no device has registers for.
          { "unrolled steps",
            [](const tuning_point& p) {
                const auto sums = p["each_codes"] * p["each_items"];
                return sums <= 32 && sums * p["depth"] <= 512;
            } },
          panel_fits(limits, [bits](const tuning_values& values) {
              const gemm_1bit_gpu_parameters g(values);
              return g.codes() * divide_up(bits, 32 * g.depth) * g.depth *
                     sizeof(cl_uint);
          }) });
}

} // namespace

gemm_1bit_cpu_parameters::gemm_1bit_cpu_parameters(const device_limits& limits)
    : // Two vectors of AVX-512's; else one, as counting fills the registers.
      codes(limits.native_vector_width_float >= 16 ? 16 : 4),
      block_words(gemm_1bit_max_words),
      items(64),
      item_bits(std::size_t(1) << 22)
{
}

gemm_1bit_cpu_parameters::gemm_1bit_cpu_parameters(const tuning_values& values)
    : codes(size_of(values, "codes")),
      block_words(size_of(values, "block_words")),
      items(size_of(values, "items")),
      item_bits(size_of(values, "item_bits"))
{
}

tuning_values gemm_1bit_cpu_parameters::values() const
{
    return { { "codes", value(codes) },
             { "block_words", value(block_words) },
             { "items", value(items) },
             { "item_bits", value(item_bits) } };
}

gemm_1bit_gpu_parameters::gemm_1bit_gpu_parameters(const device_limits& limits)
    : group_codes(16), group_items(16), each_codes(4), each_items(4), depth(16)
{
    while (!fits(limits) && group_codes * group_items > 1)
        (group_items >= group_codes ? group_items : group_codes) /= 2;
    while (!fits(limits) && depth > 2)
        depth /= 2;
}

gemm_1bit_gpu_parameters::gemm_1bit_gpu_parameters(const tuning_values& values)
    : group_codes(size_of(values, "group_codes")),
      group_items(size_of(values, "group_items")),
      each_codes(size_of(values, "each_codes")),
      each_items(size_of(values, "each_items")),
      depth(size_of(values, "depth"))
{
}

tuning_values gemm_1bit_gpu_parameters::values() const
{
    return { { "group_codes", value(group_codes) },
             { "group_items", value(group_items) },
             { "each_codes", value(each_codes) },
             { "each_items", value(each_items) },
             { "depth", value(depth) } };
}

bool gemm_1bit_gpu_parameters::fits(const device_limits& limits) const
{
    // A column of items is one word longer where that keeps it off the same banks.
    const std::size_t words = (items() + 1 + codes()) * depth;
    return group_codes * group_items <= limits.max_work_group_size &&
           group_codes <= limits.max_work_item_sizes[0] &&
           group_items <= limits.max_work_item_sizes[1] &&
           words * sizeof(cl_uint) <= limits.local_memory;
}

tuning_space gemm_1bit_tuning_space(const gemm_1bit_place& place, std::size_t bits)
{
    const auto& limits = place.device.limits;
    return place.is_cpu_tile() ? cpu_space(limits, bits)
                               : gpu_space(suggested_values(place), limits, bits);
}

tuning_problem gemm_1bit_tuning_problem(const gemm_shape& shape)
{
    return { "1-bit",
             { { "items", static_cast<double>(shape.m) },
               { "codes", static_cast<double>(shape.n) },
               { "bits", static_cast<double>(shape.k) } } };
}

tuning_values gemm_1bit_values(const gemm_1bit_place& place,
                               std::size_t bits,
                               const tuning_values& tuned)
{
    return chosen_values(
        suggested_values(place), place, tuned, [&](const tuning_values&) {
            return gemm_1bit_tuning_space(place, bits);
        });
}

tuning_values
tuned_gemm_1bit_values(wisdom& all, const gemm_1bit_place& place, const gemm_shape& shape)
{
    return recalled_values(
        all, place, gemm_1bit_tuning_problem(shape), [&](const tuning_values&) {
            return gemm_1bit_tuning_space(place, shape.k);
        });
}

const tuning_values& tuned_gemms_1bit::of(const device_info& device,
                                          const std::string& variant)
{
    return d_lookup.of(
        device,
        variant,
        gemm_1bit_tuning_problem(d_shape).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return is_tiled(variant)
                       ? tuned_gemm_1bit_values(all, { variant, where, with }, d_shape)
                       : tuning_values();
        });
}

} // namespace cldsp
