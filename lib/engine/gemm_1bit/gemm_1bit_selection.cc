/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_selection.h"

#include "base/text_stream.h"
#include "gemm/gemm_choice.h"
#include "gemm/gemm_selection.h"
#include "gemm_1bit/gemm_1bit_tuning.h"
#include "gemm_1bit/typical_1bit_call.h"
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
constexpr double max_operations = 1e10;

// The number of operations on bits that take as long as one floating-point operation at a
// device's estimated rate.
constexpr double operations_per_flop = 4;

double operations(const gemm_1bit_codes& codes, std::size_t items)
{
    return 2 * static_cast<double>(codes.count) * static_cast<double>(codes.bits) *
           static_cast<double>(items);
}

//! Finds a variant by name; null for "auto".
//! \throws std::invalid_argument for an unknown name
const gemm_variant_info* named_variant(const std::string& name)
{
    std::string known = "auto";
    for (const auto& variant : gemm_1bit_variants()) {
        if (variant.name == name)
            return &variant;
        known += ", " + variant.name;
    }
    if (name != "auto")
        throw_invalid("variant", "'" + name + "'", "one of " + known);
    return nullptr;
}

//! All candidates that the options leave open.
class gemm_1bit_candidates
{
public:
    gemm_1bit_candidates(const gemm_1bit_codes& codes,
                         std::size_t typical_items,
                         const gemm_options& options,
                         context_registry& registry)
        : d_codes(codes),
          d_items(typical_items),
          d_registry(registry),
          d_tuned(registry, { typical_items, codes.count, codes.bits }),
          d_calls([this](trial_call which) {
              constexpr std::size_t brief_items = 16;
              return std::make_shared<const typical_1bit_call>(
                  d_codes,
                  which == trial_call::brief ? std::min(brief_items, d_items) : d_items);
          })
    {
        gemm_precision_of(options.precision); // has to be known, and changes nothing
        while (d_items > 1 && operations(codes, d_items) > max_operations)
            d_items /= 2;
        const auto* named = named_variant(options.variant);
        for (const auto& device : registry.find_devices(
                 named && named->ladder == "host" ? host_instead_of_auto(options.device)
                                                  : options.device,
                 options.log)) {
            if (named && (named->ladder == "host") != device.is_host())
                continue;
            if (device.is_host()) {
                add(device, "simd", "none");
                continue;
            }
            const std::string variant =
                named ? named->name : automatic_gemm_variant(device);
            add(device, variant, "zero_copy");
            if (!named)
                for (const auto& of_units : matrix_unit_variants(device))
                    add(device, of_units, "zero_copy");
        }
    }

    const std::vector<plan_candidate>& all() const { return d_all; }
    std::size_t items() const { return d_items; }
    std::string tuned_text() const { return d_tuned.text(); }

private:
    void add(const device_info& device,
             const std::string& variant,
             const std::string& transfer)
    {
        plan_candidate c;
        c.device = device;
        c.algorithm = "popcount";
        c.variant = variant;
        c.transfer = transfer;
        c.predicted = predicted_seconds(device, transfer);
        c.tuned = cldsp::tuned_text(d_tuned.of(device, variant));
        c.make = [this, device, variant, transfer] {
            return std::make_unique<
                executor_trial<gemm_1bit_executor, typical_1bit_call>>(
                make(device, variant, transfer), d_calls);
        };
        d_all.push_back(std::move(c));
    }

    std::unique_ptr<gemm_1bit_executor> make(const device_info& device,
                                             const std::string& variant,
                                             const std::string& transfer)
    {
        if (device.is_host())
            return make_host_gemm_1bit(d_codes);
        return make_opencl_gemm_1bit(d_registry.get(device),
                                     variant,
                                     transfer,
                                     d_codes,
                                     d_tuned.of(device, variant));
    }

    double predicted_seconds(const device_info& device, const std::string& transfer) const
    {
        const double work = operations(d_codes, d_items);
        if (device.is_host()) {
            // It is assumed that a core counts 8 words of 64 bits in 3 cycles, at 2.5
            // GHz.
            const auto cores =
                static_cast<double>(std::max(1U, std::thread::hardware_concurrency()));
            return 1e-6 + work / (cores * 2 * 64 * 8 / 3 * 2.5e9);
        }
        const auto rates = estimated_rates(device);
        const auto bytes = static_cast<double>(
            d_items * (d_codes.bytes_each() + d_codes.count * sizeof(std::int32_t)));
        double seconds =
            rates.call + rates.flop * work / operations_per_flop + bytes * rates.transfer;
        if (transfer != "zero_copy")
            seconds += 2 * rates.map + bytes * rates.copy;
        return seconds;
    }

    const gemm_1bit_codes& d_codes;
    std::size_t d_items;
    context_registry& d_registry;
    tuned_gemms_1bit d_tuned;
    trial_calls<typical_1bit_call> d_calls;
    std::vector<plan_candidate> d_all;
};

//! Everything that an answer depends on, as text.
std::string
problem_key(const gemm_1bit_codes& codes, std::size_t items, const gemm_options& options)
{
    text_stream key;
    key << "gemm_1bit codes=" << codes.count << " bits=" << codes.bits
        << " items=" << items << " device=" << options.device
        << " variant=" << options.variant;
    return key.str();
}

} // namespace

void check_gemm_1bit_bits(const std::string& name, std::size_t bits)
{
    constexpr std::size_t most = std::size_t(1) << 30;
    if (bits < 8 || bits % 8 != 0 || bits > most)
        throw_invalid(name, std::to_string(bits), "a multiple of 8 from 8 to 2^30");
}

gemm_1bit_selection select_gemm_1bit(const gemm_1bit_codes& codes,
                                     std::size_t typical_items,
                                     const gemm_options& options,
                                     context_registry& registry)
{
    gemm_1bit_candidates candidates(codes, typical_items, options, registry);
    auto selected = choose_gemm<gemm_1bit_executor>(
        candidates.all(),
        problem_key(codes, candidates.items(), options) + candidates.tuned_text(),
        operations(codes, candidates.items()),
        "Gop/s",
        options,
        registry);
    if (!selected.executor)
        return host_gemm_1bit_instead(codes, selected.plan.reason);
    return selected;
}

gemm_1bit_selection host_gemm_1bit_instead(const gemm_1bit_codes& codes,
                                           const std::string& why)
{
    gemm_1bit_selection selection;
    selection.executor = make_host_gemm_1bit(codes);
    selection.plan = host_plan("popcount", "simd", why);
    selection.fell_back = true;
    return selection;
}

} // namespace cldsp
