// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tiles worth trying for products, the tuned ones, and trials of them.

#include "gemm/gemm_tuning.h"

#include "gemm/gemm_problem.h"
#include "gemm/typical_product.h"
#include "tuning/executor_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <cldsp/gemm_tunable.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

namespace {

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
                std::size_t row,
                std::size_t column,
                const gemm_shape& piece)
{
    const auto type = product.type;
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

double largest_error(const typical_product& product)
{
    const auto& s = product.shape;
    if (static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) <=
        max_checked_products)
        return error_of(product, 0, 0, s);
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
        const double error = error_of(product, row, column, { 1, columns, s.k });
        if (std::isnan(error))
            return error;
        largest = std::max(largest, error);
    }
    return largest;
}

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

using gemm_tunable = executor_tunable<gemm_executor, typical_product>;

} // namespace

std::optional<kernel_parameters>
gemm_parameters(const std::string& variant, const device_limits& limits, gemm_type type)
{
    if (variant == "cpu_tile")
        return gemm_cpu_table(type, limits).parameters();
    if (variant == "gpu_tile")
        return gemm_gpu_table(type, limits).parameters();
    return std::nullopt;
}

tuning_problem gemm_tuning_problem(gemm_type type, const gemm_shape& shape)
{
    return { type_name(type),
             { { "m", static_cast<double>(shape.m) },
               { "n", static_cast<double>(shape.n) },
               { "k", static_cast<double>(shape.k) } } };
}

tuning_values untuned_gemm_values(const std::string& variant,
                                  const device_limits& limits,
                                  const context_options& options,
                                  gemm_type type,
                                  const gemm_shape& shape)
{
    const auto parameters = *gemm_parameters(variant, limits, type);
    if (variant != "gpu_tile" || parameters.family().given(options))
        return parameters.chosen(options);
    const auto choices = gemm_gpu_parameters::fitted_defaults(type, limits);
    return gemm_gpu_table(type, limits)
        .values(
            choices[gemm_gpu_parameters::best_of(choices, shape, limits.compute_units)]);
}

const tuning_values& tuned_gemms::of(const device_info& device,
                                     const std::string& variant)
{
    return d_lookup.of(device,
                       variant,
                       gemm_tuning_problem(d_type, d_shape),
                       [&](const device_info& where) {
                           return gemm_parameters(variant, where.limits, d_type);
                       });
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
    return std::make_unique<gemm_tunable>(
        registry, device, [&](const context& where) -> gemm_tunable::tuning {
            return { *gemm_parameters(tiled, where.limits(), type),
                     gemm_tuning_problem(type, typical),
                     untuned_gemm_values(
                         tiled, where.limits(), where.options(), type, typical),
                     [type, typical] {
                         return std::make_shared<const typical_product>(type, typical);
                     },
                     [tiled, transfer = gemm_transfer(device), type](
                         const auto& made_on, const auto&, const auto& values) {
                         return make_opencl_gemm(made_on, tiled, transfer, type, values);
                     },
                     [](const auto& product) { return largest_error(product); },
                     rounding(type, typical.k) };
        });
}

} // namespace cldsp
