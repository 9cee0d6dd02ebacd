/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_selection.h"

#include "planning/device_rates.h"
#include "gemm/gemm_choice.h"
#include "gemm/gemm_product.h"
#include "gemm/gemm_tuning.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// What a measured call computes at most: large enough that more would not change which
// one wins, small enough for a slow machine.
constexpr double max_operations = 5e8;
// The same of the call that a device's product is compared in.
constexpr double max_check_operations = 5e7;

gemm_shape reduced(gemm_shape shape, gemm_type type, double most)
{
    while (shape.operations(type) > most) {
        auto& largest = shape.m >= shape.n && shape.m >= shape.k ? shape.m
                        : shape.n >= shape.k                     ? shape.n
                                                                 : shape.k;
        largest = (largest + 1) / 2;
    }
    return shape;
}

class gemm_trial final : public plan_trial
{
public:
    gemm_trial(std::unique_ptr<gemm_executor> executor,
               std::shared_ptr<const typical_product> product,
               gemm_type type,
               bool held)
        : d_product(std::move(product)),
          d_executor(std::move(executor)),
          d_type(type),
          d_held(held)
    {
        fill_with_nonsense(d_product->c.as<void>(), d_product->c.region().bytes);
        const auto& s = d_product->shape;
        if (held)
            d_executor->hold_b(s.k, s.n, d_product->call().b);
    }

    double run() override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        if (d_held)
            d_executor->multiply_held(d_product->call());
        else
            d_executor->multiply(d_product->call());
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    output_error check() override
    {
        run();
        // A half may be rounded to its other neighbour.
        return { d_product->error(d_type),
                 d_type == gemm_type::f16 ? 1e-2 : max_output_error };
    }

private:
    std::shared_ptr<const typical_product> d_product;
    std::unique_ptr<gemm_executor> d_executor;
    kept_if_lost<gemm_executor, typical_product> d_kept{ *d_executor, *d_product };
    gemm_type d_type;
    bool d_held;
};

std::string known_variants(gemm_type type)
{
    std::string names = "auto";
    for (const auto& variant : gemm_variants())
        if (variant.takes(type))
            names += ", " + variant.name;
    return names;
}

//! The variant named; null for "auto". \throws std::invalid_argument
const gemm_variant_info* named_variant(gemm_type type, const std::string& name)
{
    if (name == "auto")
        return nullptr;
    for (const auto& variant : gemm_variants())
        if (variant.name == name && variant.takes(type))
            return &variant;
    throw_invalid("variant",
                  "'" + name + "'",
                  "one of " + known_variants(type) + " for " + type_name(type));
}

double predicted_seconds(const gemm_shape& shape, gemm_type type, const plan_candidate& c)
{
    const double operations = shape.operations(type);
    if (c.device.is_host()) {
        // A core multiplies and adds two vectors of eight at some 2.5 GHz.
        const auto cores =
            static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
        return 1e-6 + operations / (cores * 2 * 2 * 8 * 2.5e9);
    }
    const auto rates = estimated_rates(c.device);
    const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.k) +
                            static_cast<double>(shape.k) * static_cast<double>(shape.n) +
                            static_cast<double>(shape.m) * static_cast<double>(shape.n);
    const double bytes = elements * static_cast<double>(element_size(type));
    double seconds = rates.call + rates.flop * operations + bytes * rates.transfer;
    if (c.transfer != "zero_copy")
        seconds += 3 * rates.map + bytes * rates.copy;
    return seconds;
}

//! Every way of computing that the options leave open.
class gemm_candidates
{
public:
    gemm_candidates(gemm_type type,
                    const gemm_shape& typical,
                    const gemm_options& options,
                    context_registry& registry)
        : d_type(type),
          d_shape(reduced(typical, type, max_operations)),
          d_held(options.held_b),
          d_registry(registry),
          d_tuned(registry, type, typical)
    {
        const auto* named = named_variant(type, options.variant);
        for (const auto& device : find_devices(options.device, options.log)) {
            if (named && (named->ladder == "host") != device.is_host())
                continue;
            add(device, named ? named->name : automatic_gemm_variant(device));
        }
    }

    const std::vector<plan_candidate>& all() const { return d_all; }
    const gemm_shape& shape() const { return d_shape; }
    std::string tuned_text() const { return d_tuned.text(); }
    //! Of a candidate.
    const tuning_values& tuned(std::size_t index)
    {
        return d_tuned.of(d_all[index].device, d_all[index].variant);
    }

    std::unique_ptr<gemm_executor> make(std::size_t index)
    {
        const auto& c = d_all[index];
        if (c.device.is_host())
            return make_host_gemm(d_type);
        return make_opencl_gemm(
            d_registry.get(c.device), c.variant, c.transfer, d_type, tuned(index));
    }

private:
    void add(const device_info& device, const std::string& variant)
    {
        d_tuned.of(device, variant);
        plan_candidate c;
        c.device = device;
        c.algorithm = "gemm";
        c.variant = variant;
        c.transfer = gemm_transfer(device);
        c.rows = 0;
        c.predicted = predicted_seconds(d_shape, d_type, c);
        c.make_trial = [this, index = d_all.size()] {
            return trial(index, d_product, d_shape);
        };
        c.make_check = [this, index = d_all.size()] {
            return trial(
                index, d_small_product, reduced(d_shape, d_type, max_check_operations));
        };
        d_all.push_back(std::move(c));
    }

    //! \param product made with the first trial: often there is none
    std::unique_ptr<plan_trial> trial(std::size_t index,
                                      std::shared_ptr<const typical_product>& product,
                                      const gemm_shape& shape)
    {
        if (!product || product->is_kept())
            product = std::make_shared<const typical_product>(d_type, shape);
        return std::make_unique<gemm_trial>(make(index), product, d_type, d_held);
    }

    gemm_type d_type;
    gemm_shape d_shape;
    bool d_held;
    context_registry& d_registry;
    tuned_gemms d_tuned;
    std::vector<plan_candidate> d_all;
    std::shared_ptr<const typical_product> d_product, d_small_product;
};

//! What an answer holds for.
std::string
problem_key(gemm_type type, const gemm_shape& shape, const gemm_options& options)
{
    std::ostringstream key;
    key << "gemm " << type_name(type) << " m=" << shape.m << " n=" << shape.n
        << " k=" << shape.k << (options.held_b ? " held" : "")
        << " device=" << options.device << " variant=" << options.variant;
    return key.str();
}

} // namespace

gemm_selection select_gemm(gemm_type type,
                           const gemm_shape& typical,
                           const gemm_options& options,
                           context_registry& registry)
{
    gemm_candidates candidates(type, typical, options, registry);
    const auto& shape = candidates.shape();
    return choose_gemm<gemm_selection>(
        candidates,
        problem_key(type, shape, options),
        shape.operations(type),
        "GFLOP/s",
        options,
        registry,
        [&](const std::string& why) { return host_gemm_instead(type, why); });
}

void check_gemm_variant(gemm_type type, const std::string& name)
{
    named_variant(type, name);
}

void check_gemm_shape(const gemm_shape& shape)
{
    const auto check_size = [](const char* name, std::size_t size) {
        if (size < 1)
            throw_invalid(name, "0", "1 or more");
    };
    check_size("m", shape.m);
    check_size("n", shape.n);
    check_size("k", shape.k);
}

std::string automatic_gemm_variant(const device_info& device)
{
    if (device.is_host())
        return "simd";
    return device.kind == device_kind::cpu ? "cpu_tile" : "gpu_tile";
}

std::string gemm_transfer(const device_info& device)
{
    if (device.is_host())
        return "none";
    // Where memory can be shared that wins; what cannot is copied.
    return shares_memory(device) ? "zero_copy" : "copy";
}

gemm_selection host_gemm_instead(gemm_type type, const std::string& why)
{
    gemm_selection selection;
    selection.executor = make_host_gemm(type);
    selection.plan = host_plan("gemm", "simd", why);
    selection.fell_back = true;
    return selection;
}

} // namespace cldsp
