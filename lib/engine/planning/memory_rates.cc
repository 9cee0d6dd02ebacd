// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures how fast a core reads and writes beyond its cache.

#include "planning/memory_rates.h"

#include "base/cache_sizes.h"
#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/json_value.h"
#include "base/page_memory.h"
#include "planning/interruptions.h"
#include "storage/host_identity.h"

#include <cldsp/wisdom.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace cldsp {

namespace {

// The working sets at which both rates are measured, as multiples of the cache's size.
constexpr std::size_t near_sets = 4;
constexpr std::size_t far_sets = 32;

// Limits of a rate in seconds for a byte. No machine that runs this is outside them.
constexpr double min_byte = 1e-13;
constexpr double max_byte = 1e-7;

//! What was measured, and whether other threads took the processor away meanwhile.
struct measurement {
    memory_rates rates;
    bool was_disturbed = false;
};

//! The seconds per byte of traffic, in a pass that reads one half of the memory at
//! \p values and writes the other half. Passes that were interrupted are repeated.
double byte_seconds(float* values, std::size_t bytes, int passes, bool& was_disturbed)
{
    using clock = std::chrono::steady_clock;
    constexpr int max_repeated = 6;
    const std::size_t half = bytes / sizeof(float) / 2;
    double fastest = std::numeric_limits<double>::infinity();
    int clean = 0;
    for (int pass = 0; pass < passes || (clean == 0 && pass < passes + max_repeated);
         pass++) {
        const interruptions seen;
        const auto start = clock::now();
        const float* const from = values;
        float* const to = values + half;
        for (std::size_t i = 0; i < half; i++)
            to[i] = 0.5f * from[i] + 1.0f;
        fastest = std::min(fastest,
                           std::chrono::duration<double>(clock::now() - start).count());
        // The first pass also makes the system find the pages.
        clean += pass > 0 && !seen.any() ? 1 : 0;
    }
    was_disturbed = was_disturbed || clean == 0;
    constexpr double traffic = 1.5; // half is read, and half is read and written
    return fastest / (traffic * static_cast<double>(bytes));
}

measurement measured()
{
    constexpr int near_passes = 6;
    constexpr int far_passes = 2;
    measurement all;
    memory_rates& rates = all.rates;
    rates.cache_bytes = core_cache_bytes();
    const page_memory memory(far_sets * rates.cache_bytes);
    auto* const values = memory.as<float>();
    rates.near_byte = std::clamp(
        byte_seconds(
            values, near_sets * rates.cache_bytes, near_passes, all.was_disturbed),
        min_byte,
        max_byte);
    rates.far_byte = std::clamp(
        byte_seconds(values, far_sets * rates.cache_bytes, far_passes, all.was_disturbed),
        rates.near_byte,
        max_byte);
    return all;
}

constexpr const char* kind = "calibration";
std::string key() { return host_identity() + ", memory"; }

std::optional<memory_rates> remembered(context_registry& registry)
{
    const auto known = json_value::parse(registry.wisdom().find(kind, key()));
    if (!known)
        return std::nullopt;
    memory_rates rates;
    rates.cache_bytes = core_cache_bytes();
    rates.near_byte = (*known)["near_byte"].number().value_or(0);
    rates.far_byte = (*known)["far_byte"].number().value_or(0);
    if (rates.near_byte >= min_byte && rates.near_byte <= rates.far_byte &&
        rates.far_byte <= max_byte)
        return rates;
    return std::nullopt;
}

} // namespace

double memory_rates::seconds(double bytes, double working_set) const
{
    const auto cache = static_cast<double>(cache_bytes);
    if (working_set <= cache)
        return 0;
    // Some of a set that is little larger than the cache stays there.
    const double outside = std::min(1.0, working_set / cache - 1);
    const double part =
        std::clamp(std::log(working_set / cache / near_sets) /
                       std::log(static_cast<double>(far_sets) / near_sets),
                   0.0,
                   1.0);
    return bytes * outside * near_byte * std::pow(far_byte / near_byte, part);
}

memory_rates known_memory_rates(context_registry& registry)
{
    memory_rates rates;
    rates.cache_bytes = core_cache_bytes();
    return remembered(registry).value_or(rates);
}

memory_rates calibrated_memory_rates(context_registry& registry)
{
    if (const auto known = remembered(registry))
        return *known;
    // Registries without a file of wisdom share one measurement. Other threads wait for
    // it, so an idle thread leaves it to its normal one.
    const measurement once = at_normal_priority([] {
        const fork_delay no_fork;
        static const measurement first = measured();
        return first;
    });
    const memory_rates& rates = once.rates;
    const json_value fresh = json_value::object{ { "near_byte", rates.near_byte },
                                                 { "far_byte", rates.far_byte } };
    if (once.was_disturbed)
        registry.wisdom().store_in_memory(kind, key(), fresh.print());
    else
        registry.wisdom().store(kind, key(), fresh.print());
    return rates;
}

} // namespace cldsp
