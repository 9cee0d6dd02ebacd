/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_selection.h"

#include "base/text_stream.h"
#include "gemm/gemm_choice.h"
#include "gemm/gemm_tuning.h"
#include "gemm/typical_product.h"
#include "opencl/matrix_units.h"
#include "planning/device_rates.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The most operations of a measured call: large enough that a larger call would not
// change the winner, small enough for a slow machine.
constexpr double max_operations = 5e8;
// The most operations of the brief call in which a device's product is compared.
constexpr double max_brief_operations = 5e7;

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

std::string known_variants(gemm_type type)
{
    std::string names = "auto";
    for (const auto& variant : gemm_variants())
        if (variant.takes(type))
            names += ", " + variant.name;
    return names;
}

//! Finds a variant by name; null for "auto".
//! \throws std::invalid_argument for an unknown name
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
        // It is assumed that a core multiplies and adds two vectors of 8 floats per
        // cycle, at 2.5 GHz.
        const auto cores =
            static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
        return 1e-6 + operations / (cores * 2 * 2 * 8 * 2.5e9);
    }
    const auto rates = estimated_rates(c.device);
    const double elements = static_cast<double>(shape.m) * static_cast<double>(shape.k) +
                            static_cast<double>(shape.k) * static_cast<double>(shape.n);
    const double results = static_cast<double>(shape.m) * static_cast<double>(shape.n);
    const double bytes = elements * static_cast<double>(element_size(type)) +
                         results * static_cast<double>(result_size(type));
    double seconds = rates.call + rates.flop * operations + bytes * rates.transfer;
    if (c.transfer != "zero_copy")
        seconds += 3 * rates.map + bytes * rates.copy;
    return seconds;
}

//! The precision that the options permit for a type.
gemm_precision permitted_precision(gemm_type type, const gemm_options& options)
{
    const auto permitted = gemm_precision_of(options.precision);
    const bool takes_floats = type == gemm_type::f32 || type == gemm_type::c32;
    return takes_floats ? permitted : gemm_precision::exact;
}

//! All candidates that the options leave open.
class gemm_candidates
{
public:
    gemm_candidates(gemm_type type,
                    const gemm_shape& typical,
                    const gemm_options& options,
                    context_registry& registry)
        : d_type(type),
          d_shape(reduced(typical, type, max_operations)),
          d_registry(registry),
          d_tuned(registry, type, typical),
          d_products([=, held = options.held_b](trial_call which) {
              return std::make_shared<const typical_product>(
                  type,
                  which == trial_call::brief
                      ? reduced(typical, type, max_brief_operations)
                      : reduced(typical, type, max_operations),
                  held);
          })
    {
        check_gemm_options(type, options);
        for (const auto& device :
             registry.find_devices(gemm_devices(type, options), options.log))
            for (const auto& way : gemm_ways(type, options, device))
                add(device, way);
        explain_exact(d_all, type, options);
    }

    const std::vector<plan_candidate>& all() const { return d_all; }
    const gemm_shape& shape() const { return d_shape; }
    std::string tuned_text() const { return d_tuned.text(); }

private:
    void add(const device_info& device, const gemm_way& way)
    {
        auto c = gemm_candidate(device, way);
        c.predicted = predicted_seconds(d_shape, d_type, c);
        c.tuned = cldsp::tuned_text(d_tuned.of(device, way.variant));
        c.make = [this, device, way] {
            return std::make_unique<executor_trial<gemm_executor, typical_product>>(
                make(device, way), d_products);
        };
        d_all.push_back(std::move(c));
    }

    std::unique_ptr<gemm_executor> make(const device_info& device, const gemm_way& way)
    {
        if (device.is_host())
            return make_host_gemm(d_type);
        return make_opencl_gemm(d_registry.get(device),
                                way.variant,
                                gemm_transfer(device),
                                d_type,
                                d_tuned.of(device, way.variant),
                                way.precision);
    }

    gemm_type d_type;
    gemm_shape d_shape;
    context_registry& d_registry;
    tuned_gemms d_tuned;
    trial_calls<typical_product> d_products;
    std::vector<plan_candidate> d_all;
};

//! Everything that an answer depends on, as text.
std::string
problem_key(gemm_type type, const gemm_shape& shape, const gemm_options& options)
{
    text_stream key;
    key << "gemm " << type_name(type) << " m=" << shape.m << " n=" << shape.n
        << " k=" << shape.k << (options.held_b ? " held" : "")
        << " device=" << options.device << " variant=" << options.variant
        << " precision=" << options.precision;
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
    auto selected = choose_gemm<gemm_executor>(
        candidates.all(),
        problem_key(type, shape, options) + candidates.tuned_text(),
        shape.operations(type),
        type == gemm_type::s8 ? "Gop/s" : "GFLOP/s",
        options,
        registry);
    if (!selected.executor)
        return host_gemm_instead(type, selected.plan.reason);
    return selected;
}

void check_gemm_options(gemm_type type, const gemm_options& options)
{
    named_variant(type, options.variant);
    gemm_precision_of(options.precision);
}

std::vector<gemm_way> gemm_ways(gemm_type type,
                                const gemm_options& options,
                                const device_info& device,
                                const std::vector<std::string>& of_matrix_units)
{
    const auto permitted = permitted_precision(type, options);
    if (const auto* named = named_variant(type, options.variant)) {
        if ((named->ladder == "host") != device.is_host())
            return {};
        return { { named->name,
                   named->min_compute_capability > 0 ? permitted
                                                     : gemm_precision::exact } };
    }
    std::vector<gemm_way> ways{ { automatic_gemm_variant(device) } };
    for (const auto& variant : of_matrix_units) {
        ways.push_back({ variant });
        if (permitted != gemm_precision::exact)
            ways.push_back({ variant, permitted });
    }
    return ways;
}

std::vector<gemm_way>
gemm_ways(gemm_type type, const gemm_options& options, const device_info& device)
{
    return gemm_ways(type, options, device, matrix_unit_variants(device));
}

std::string gemm_devices(gemm_type type, const gemm_options& options)
{
    const auto* named = named_variant(type, options.variant);
    return named && named->ladder == "host" ? host_instead_of_auto(options.device)
                                            : options.device;
}

plan_candidate gemm_candidate(const device_info& device, const gemm_way& way)
{
    plan_candidate c;
    c.device = device;
    c.algorithm = "gemm";
    c.variant = way.variant;
    c.transfer = gemm_transfer(device);
    if (way.precision != gemm_precision::exact)
        c.precision = precision_name(way.precision);
    return c;
}

void explain_exact(std::vector<plan_candidate>& candidates,
                   gemm_type type,
                   const gemm_options& options,
                   const std::string& otherwise)
{
    if (permitted_precision(type, options) == gemm_precision::exact)
        return;
    const bool any_less =
        std::any_of(candidates.begin(), candidates.end(), [](const plan_candidate& c) {
            return !c.precision.empty();
        });
    for (auto& c : candidates)
        if (c.precision.empty())
            c.exact_because = options.variant != "auto"
                                  ? "variant '" + c.variant + "' is always exact"
                              : any_less ? "matrix units with " + options.precision +
                                               " were slower, or were left out"
                                         : otherwise;
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
    return device.is_host() ? "simd" : tile_for(device);
}

std::string gemm_transfer(const device_info& device)
{
    if (device.is_host())
        return "none";
    // Shared memory is the fastest way. Matrices that cannot be shared are copied.
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
