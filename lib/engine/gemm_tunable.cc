/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_product.h"
#include "gemm_selection.h"
#include "gemm_tuning.h"
#include "tuning_timing.h"

#include <cldsp/errors.h>
#include <cldsp/gemm_reference.h>
#include <cldsp/tunables.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>

namespace cldsp {

namespace {

// Of larger products, pieces of some rows are checked, all over C.
constexpr std::size_t most_checked_products = 4'000'000;
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
    const auto at = [&](const trial_memory& memory, std::size_t index) {
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
        most_checked_products)
        return error_of(product, type, 0, 0, s);
    const std::size_t count =
        std::clamp<std::size_t>(pieces, 2, std::max<std::size_t>(s.m, 2));
    const std::size_t columns =
        std::clamp<std::size_t>(most_checked_products / count / s.k, 1, s.n);
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

class gemm_tuning_trial final : public tuning_trial
{
public:
    gemm_tuning_trial(std::unique_ptr<gemm_executor> executor,
                      std::shared_ptr<const typical_product> product,
                      gemm_type type,
                      bool whole_call)
        : d_product(std::move(product)),
          d_executor(std::move(executor)),
          d_type(type),
          d_whole(whole_call)
    {
    }

    double check() override
    {
        // What an earlier point has left there is no answer of this one. Bytes of ones
        // are not a number in every type.
        const auto region = d_product->c.region();
        std::fill_n(d_product->c.as<unsigned char>(), region.bytes, 0xff);
        d_executor->multiply(d_product->call());
        return largest_error(*d_product, d_type);
    }

    double run() override
    {
        return seconds_of_calls([this] { return timed_call(); });
    }

private:
    double timed_call()
    {
        using clock = std::chrono::steady_clock;
        const double kernels_before = d_whole ? 0 : kernel_seconds();
        const auto start = clock::now();
        d_executor->multiply(d_product->call());
        return d_whole ? std::chrono::duration<double>(clock::now() - start).count()
                       : kernel_seconds() - kernels_before;
    }

    //! Of all calls so far.
    double kernel_seconds() const
    {
        const auto s = d_executor->statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }

    std::shared_ptr<const typical_product> d_product; // outlives what wraps its memory
    std::unique_ptr<gemm_executor> d_executor;
    gemm_type d_type;
    bool d_whole;
};

class gemm_tunable final : public device_tunable
{
public:
    gemm_tunable(context_registry& registry,
                 const device_info& device,
                 gemm_type type,
                 const gemm_shape& shape,
                 const std::string& variant)
        : d_registry(registry),
          d_device(device),
          d_type(type),
          d_shape(shape),
          d_context(std::make_shared<context>(device, off_the_disk(registry))),
          d_place(variant, *d_context),
          d_space(gemm_tuning_space(d_place, type)),
          d_default(
              *d_space.find(untuned_gemm_values(d_place, type, shape), tuning_point()))
    {
    }

    std::string family() const override { return d_place.family(); }
    tuning_problem problem() const override
    {
        return gemm_tuning_problem(d_type, d_shape);
    }
    tuning_place place() const override { return d_place.for_wisdom(); }
    const tuning_space& space() const override { return d_space; }
    tuning_point default_point() const override { return d_default; }
    double tolerance() const override { return rounding(d_type, d_shape.k); }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        if (!d_product)
            d_product = std::make_shared<const typical_product>(d_type, d_shape);
        return std::make_unique<gemm_tuning_trial>(executor(d_context, point),
                                                   d_product,
                                                   d_type,
                                                   d_device.kind == device_kind::cpu);
    }

    void adopt(const tuning_point& point) override
    {
        const auto made = executor(d_registry.get(d_device), point);
        // Some sizes want programs of their own, which the first call builds.
        if (d_product)
            made->multiply(d_product->call());
    }

private:
    static context_options off_the_disk(const context_registry& registry)
    {
        auto options = registry.options();
        options.disk_cache = false;
        return options;
    }

    std::unique_ptr<gemm_executor> executor(std::shared_ptr<context> device,
                                            const tuning_point& point) const
    {
        return make_opencl_gemm(std::move(device),
                                d_place.variant,
                                gemm_transfer(d_device),
                                d_type,
                                point.by_name());
    }

    context_registry& d_registry;
    device_info d_device;
    gemm_type d_type;
    gemm_shape d_shape;
    std::shared_ptr<context> d_context;
    gemm_place d_place;
    tuning_space d_space;
    tuning_point d_default;
    std::shared_ptr<const typical_product> d_product; // made when first needed
};

} // namespace

std::unique_ptr<device_tunable> make_gemm_tunable(context_registry& registry,
                                                  const device_info& device,
                                                  gemm_type type,
                                                  const gemm_shape& typical,
                                                  const std::string& variant)
{
    const auto check_size = [](const char* name, std::size_t size) {
        if (size < 1)
            throw_invalid(name, "0", "1 or more");
    };
    check_size("m", typical.m);
    check_size("n", typical.n);
    check_size("k", typical.k);
    const auto name = variant == "auto" ? automatic_gemm_variant(device) : variant;
    if (!gemm_can_be_tuned(name))
        throw_invalid("variant", "'" + name + "'", "'cpu_tile', 'gpu_tile' or 'auto'");
    return std::make_unique<gemm_tunable>(registry, device, type, typical, name);
}

} // namespace cldsp
