/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_product.h"
#include "gemm/gemm_selection.h"
#include "gemm/gemm_tuning.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <cldsp/gemm_tunable.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace cldsp {

namespace {

// Of larger products, pieces of some rows are checked, all over C.
constexpr std::size_t max_checked_products = 4'000'000;
constexpr std::size_t pieces = 64;

//! What rounding alone may make of gemm_error().
double rounding(gemm_type type, std::size_t k)
{
    const double place = type == gemm_type::f16 ? 1e-3 : 2e-7;
    return place * (4 + std::sqrt(static_cast<double>(k)));
}

//! Some columns of a row of C, or more rows.
double error_of(const typical_product& product,
                gemm_type type,
                std::size_t row,
                std::size_t column,
                const gemm_shape& piece)
{
    const auto& s = product.shape;
    const std::size_t element = element_size(type);
    const auto at = [&](const page_memory& memory, std::size_t index) {
        return static_cast<const void*>(memory.as<unsigned char>() + index * element);
    };
    const const_gemm_matrix c{ at(product.c, row * s.n + column), s.n };
    return gemm_error(type,
                      piece,
                      1,
                      { at(product.a, row * s.k), s.k },
                      { at(product.b, column), s.n },
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
        // Columns in another order, so that pieces do not lie along a diagonal.
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
        // Bytes of ones are not a number in every type.
        const auto region = d_product->c.region();
        std::fill_n(d_product->c.as<unsigned char>(), region.bytes, 0xff);
    }
    void call() override { d_executor->multiply(d_product->call()); }
    double error() const override { return largest_error(*d_product, d_type); }
    run_statistics statistics() const override { return d_executor->statistics(); }

private:
    std::shared_ptr<const typical_product> d_product; // outlives what wraps its memory
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
        // Some sizes want programs of their own, which the first call builds.
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
    std::shared_ptr<const typical_product> d_product; // made when first needed
};

/*!
 * LLVM 18 in PoCL 6 ends the process at some sizes of this kernel: "Instruction Combining
 * did not reach a fixpoint". \throws std::invalid_argument
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
