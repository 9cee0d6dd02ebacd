/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_tuning.h"

#include "gemm/gemm_selection.h"
#include "planning/output_check.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <cldsp/gemm_tunable.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

std::vector<float> floats_of(const void* halves, std::size_t count)
{
    const auto* first = static_cast<const std::uint16_t*>(halves);
    std::vector<float> floats(count);
    std::transform(first, first + count, floats.begin(), from_half);
    return floats;
}

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
    // A work-item's rows and columns are multiples of 16 bytes.
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
          // Beyond this, compiling takes very long, and no device has enough registers.
          { "unrolled steps", [planes](const tuning_point& p) {
               const std::int64_t sums = p["item_rows"] * p["item_columns"] * planes;
               return sums <= 64 && sums * p["depth"] <= 2048;
           } } });
}

// Products of more than this many multiplications are checked in pieces of some rows, all
// over C.
constexpr std::size_t max_checked_products = 4'000'000;
constexpr std::size_t pieces = 64;

//! The largest result of gemm_error() that rounding alone can cause.
double rounding(gemm_type type, std::size_t k)
{
    const double place = type == gemm_type::s8 ? 0 : type == gemm_type::f16 ? 1e-3 : 2e-7;
    return place * (4 + std::sqrt(static_cast<double>(k)));
}

//! The error of a piece of C that begins at a row and a column.
double error_of(const typical_product& product,
                gemm_type type,
                std::size_t row,
                std::size_t column,
                const gemm_shape& piece)
{
    const auto& s = product.shape;
    const auto at =
        [](const page_memory& memory, std::size_t index, std::size_t element) {
            return static_cast<const void*>(memory.as<unsigned char>() + index * element);
        };
    const std::size_t element = element_size(type);
    const const_gemm_matrix c{ at(product.c, row * s.n + column, result_size(type)),
                               s.n };
    return gemm_error(type,
                      piece,
                      1,
                      { at(product.a, row * s.k, element), s.k },
                      { at(product.b, column, element), s.n },
                      0,
                      c,
                      c);
}

double largest_error(const typical_product& product, gemm_type type)
{
    const auto& s = product.shape;
    if (static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) <=
        max_checked_products)
        return error_of(product, type, 0, 0, s);
    const std::size_t count =
        std::clamp<std::size_t>(pieces, 2, std::max<std::size_t>(s.m, 2));
    const std::size_t columns =
        std::clamp<std::size_t>(max_checked_products / count / s.k, 1, s.n);
    double largest = 0;
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t row = (s.m - 1) * i / (count - 1);
        // The columns come in another order than the rows, so that the pieces do not lie
        // along a diagonal.
        const std::size_t column = (s.n - columns) * (i * 67 % count) / (count - 1);
        const double error = error_of(product, type, row, column, { 1, columns, s.k });
        if (std::isnan(error))
            return error;
        largest = std::max(largest, error);
    }
    return largest;
}

class gemm_tuning_trial final : public call_trial
{
public:
    gemm_tuning_trial(std::unique_ptr<gemm_executor> executor,
                      std::shared_ptr<const typical_product> product,
                      gemm_type type,
                      bool whole_calls)
        : call_trial(whole_calls),
          d_product(std::move(product)),
          d_executor(std::move(executor)),
          d_type(type)
    {
    }

protected:
    void spoil_output() override
    {
        // A value whose bits are all set is a NaN, or an improbable sum of bytes.
        const auto region = d_product->c.region();
        std::fill_n(d_product->c.as<unsigned char>(), region.bytes, 0xff);
    }
    void call() override { d_executor->multiply(d_product->call()); }
    double error() const override { return largest_error(*d_product, d_type); }
    run_statistics statistics() const override { return d_executor->statistics(); }

private:
    std::shared_ptr<const typical_product> d_product; // outlives the executor, which uses
                                                      // its memory
    std::unique_ptr<gemm_executor> d_executor;
    kept_if_lost<gemm_executor, typical_product> d_kept{ *d_executor, *d_product };
    gemm_type d_type;
};

class gemm_tunable final : public kernel_tunable
{
public:
    gemm_tunable(context_registry& registry,
                 const device_info& device,
                 gemm_type type,
                 const gemm_shape& shape,
                 const std::string& variant)
        : kernel_tunable(registry, device),
          d_type(type),
          d_shape(shape),
          d_variant(variant),
          d_transfer(gemm_transfer(device))
    {
        const gemm_place place(variant, *trials());
        describe(place,
                 gemm_tuning_problem(type, shape),
                 gemm_tuning_space(place, type),
                 untuned_gemm_values(place, type, shape),
                 rounding(type, shape.k));
    }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        if (!d_product || d_product->is_kept())
            d_product = std::make_shared<const typical_product>(d_type, d_shape);
        return std::make_unique<gemm_tuning_trial>(
            executor(trials(), point), d_product, d_type, is_cpu());
    }

    void adopt(const tuning_point& point) override
    {
        const auto made = executor(adopting(), point);
        // Some sizes need another program, which the first call builds.
        if (d_product)
            made->multiply(d_product->call());
    }

private:
    std::unique_ptr<gemm_executor> executor(std::shared_ptr<context> device,
                                            const tuning_point& point) const
    {
        return make_opencl_gemm(
            std::move(device), d_variant, d_transfer, d_type, point.by_name());
    }

    gemm_type d_type;
    gemm_shape d_shape;
    std::string d_variant, d_transfer;
    std::shared_ptr<const typical_product> d_product; // made when it is first needed
};

/*!
 * Refuses a kernel at which LLVM 18 in PoCL 6 ends the process for some sizes, with
 * "Instruction Combining did not reach a fixpoint".
 *
 * \throws std::invalid_argument for this kernel on such a device
 */
void check_compiler(const device_info& device, gemm_type type, const std::string& variant)
{
    if (variant == "gpu_tile" && type == gemm_type::c32 && device.is_pocl &&
        device.kind == device_kind::cpu && device.driver_version.rfind("6.", 0) == 0)
        throw_invalid("variant",
                      "'gpu_tile' of complex products on PoCL " + device.driver_version,
                      "'cpu_tile' there: its compiler ends the process at some sizes");
}

} // namespace

page_memory trial_matrix(gemm_type type, std::size_t elements)
{
    if (type == gemm_type::s8)
        return trial_input(sample_type::s8, elements);
    if (type != gemm_type::f16)
        return trial_input(type == gemm_type::c32 ? sample_type::fc32 : sample_type::f32,
                           elements);
    page_memory memory(elements * element_size(type));
    std::minstd_rand random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::generate_n(
        memory.as<std::uint16_t>(), elements, [&] { return to_half(uniform(random)); });
    return memory;
}

double max_trial_error(gemm_precision precision)
{
    // Each factor is rounded by at most 2^-11 of its magnitude, and the errors of many
    // terms cancel. A value in a wrong place gives about 1.
    constexpr double max_error_of_rounded_factors = 0x1p-7;
    return precision == gemm_precision::exact ? max_output_error
                                              : max_error_of_rounded_factors;
}

void expect_trial_peak(output_comparison& comparison,
                       gemm_precision precision,
                       std::size_t k)
{
    // The mean square of a value is 1/3, so that this is the effective value of a sum.
    if (precision != gemm_precision::exact)
        comparison.expect_peak(std::sqrt(static_cast<double>(k)) / 3);
}

double typical_product::error_of_c(gemm_precision precision) const
{
    constexpr std::size_t each = 2; // rows in each range
    const auto host = make_host_gemm(type);
    const std::size_t size = element_size(type), size_of_c = result_size(type);
    output_comparison comparison;
    expect_trial_peak(comparison, precision, shape.k);
    for (const auto& range : some_outputs(shape.m, each)) {
        const page_memory expected(range.count * shape.n * size_of_c);
        gemm_call rows = call();
        rows.shape.m = range.count;
        rows.a.data = a.as<unsigned char>() + range.first * shape.k * size;
        rows.c.data = expected.as<void>();
        host->multiply(rows);

        const std::size_t elements = range.count * shape.n;
        const void* got = c.as<unsigned char>() + range.first * shape.n * size_of_c;
        if (type == gemm_type::s8) {
            if (std::memcmp(got, expected.as<void>(), elements * size_of_c) != 0)
                return std::numeric_limits<double>::infinity();
        } else if (type == gemm_type::f16) {
            comparison.add(floats_of(got, elements).data(),
                           floats_of(expected.as<void>(), elements).data(),
                           elements);
        } else {
            const std::size_t floats = elements * size / sizeof(float);
            comparison.add(
                static_cast<const float*>(got), expected.as<const float>(), floats);
        }
    }
    return comparison.error();
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
          parameter("block_k",
                    type == gemm_type::s8
                        ? std::set<std::int64_t>{ 64, 128, 256, 512, 1024 }
                        : std::set<std::int64_t>{ 64, 128, 256, 512, 1024, 2048 }) },
        // Beyond this, compiling takes very long, and no device has enough registers.
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

std::unique_ptr<device_tunable> make_gemm_tunable(context_registry& registry,
                                                  const device_info& device,
                                                  gemm_type type,
                                                  const gemm_shape& typical,
                                                  const std::string& variant)
{
    check_gemm_shape(typical);
    const auto tiled = tiled_variant(variant, device);
    check_compiler(device, type, tiled);
    return std::make_unique<gemm_tunable>(registry, device, type, typical, tiled);
}

} // namespace cldsp
