// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the speed of the host, and keeps it in the wisdom.

#include "planning/host_rate.h"

#include "base/engine_threads.h"
#include "base/forks.h"
#include "base/json_value.h"
#include "planning/interruptions.h"
#include "storage/host_identity.h"

#include <cldsp/wisdom.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>

namespace cldsp {

namespace {

// Limits of a rate. No machine that runs this is outside them.
constexpr double min_rate = 1e5;
constexpr double max_rate = 1e15;

struct measured_rate {
    double rate = 0;
    bool was_disturbed = false; // other threads interrupted every measurement
};

measured_rate measured_now(const std::function<double()>& measure)
{
    constexpr int max_repeated = 4;
    measured_rate best;
    for (int i = 0; i == 0 || (best.was_disturbed && i < max_repeated); i++) {
        const interruptions seen;
        best.rate = std::max(best.rate, std::clamp(measure(), min_rate, max_rate));
        best.was_disturbed = seen.any();
    }
    return best;
}

//! What this process has measured. An idle thread leaves it to its normal one: others
//! wait for the lock, and a measurement takes a few milliseconds.
measured_rate measured_once(const std::string& work,
                            const std::function<double()>& measure)
{
    static std::mutex mutex;
    static auto& known = *new std::map<std::string, measured_rate>;
    return at_normal_priority([&] {
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> one_at_a_time(mutex);
        const auto found = known.find(work);
        if (found != known.end())
            return found->second;
        return known[work] = measured_now(measure);
    });
}

constexpr const char* kind = "calibration";

std::string key_of(const std::string& work) { return host_identity() + ", " + work; }

} // namespace

std::optional<double> known_host_rate(context_registry& registry, const std::string& work)
{
    const auto known = json_value::parse(registry.wisdom().find(kind, key_of(work)));
    const double rate = known ? (*known)["rate"].number().value_or(0) : 0;
    if (rate >= min_rate && rate <= max_rate)
        return rate;
    return std::nullopt;
}

double calibrated_host_rate(context_registry& registry,
                            const std::string& work,
                            bool in_file,
                            const std::function<double()>& measure)
{
    if (const auto known = known_host_rate(registry, work))
        return *known;
    const auto [rate, was_disturbed] = measured_once(work, measure);
    const auto fresh = json_value(json_value::object{ { "rate", rate } }).print();
    if (in_file && !was_disturbed)
        registry.wisdom().store(kind, key_of(work), fresh);
    else
        registry.wisdom().store_in_memory(kind, key_of(work), fresh);
    return rate;
}

double fastest_seconds(plan_trial& trial)
{
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::duration<double> enough(1e-3);
    constexpr int min_calls = 3;
    double fastest = std::numeric_limits<double>::infinity();
    const auto start = clock::now();
    for (int calls = 0; calls < min_calls || clock::now() - start < enough; calls++)
        fastest = std::min(fastest, trial.run());
    return fastest;
}

} // namespace cldsp
