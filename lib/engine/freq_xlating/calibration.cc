/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/cost_model.h"

#include "base/trial_memory.h"
#include "direct/host_fir.h"
#include "filter/filter_channel.h"
#include "storage/host_identity.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace cldsp {

using nlohmann::json;

namespace {

constexpr const char* kind = "calibration";

// No machine that runs this is further from the one of the model's rates.
constexpr double min_factor = 0.1;
constexpr double max_factor = 1000;

//! How many times slower this machine is than the model's, by a short direct filter.
double measured_factor()
{
    using clock = std::chrono::steady_clock;
    constexpr double enough_seconds = 2e-3;
    constexpr int min_calls = 3;

    plan_shape shape;
    shape.taps = 1024;
    shape.decimation = 16;
    shape.items = 4096;
    const std::size_t outputs = shape.items / shape.decimation;
    freq_xlating_fir_problem problem;
    problem.decimation = shape.decimation;
    problem.taps.assign(shape.taps, 1.0f / static_cast<float>(shape.taps));
    const filter_channel channel(problem);
    const auto filter = make_host_fir("simd", channel);
    host_fir_scratch scratch;
    const auto in = trial_input(problem.input, channel.window(outputs));
    const trial_memory out(outputs * sizeof(std::complex<float>));

    double fastest = std::numeric_limits<double>::infinity();
    const auto start = clock::now();
    const auto since = [](clock::time_point then) {
        return std::chrono::duration<double>(clock::now() - then).count();
    };
    for (int calls = 0; calls < min_calls || since(start) < enough_seconds; calls++) {
        const auto before = clock::now();
        filter->run({ in.as<void>(), out.as<std::complex<float>>(), outputs, {} },
                    scratch);
        fastest = std::min(fastest, since(before));
    }
    return fastest / predict_host_direct(shape, "simd", host_rates());
}

} // namespace

host_rates calibrated_rates(context_registry& registry)
{
    const json known =
        json::parse(registry.remembered(host_identity(), kind), nullptr, false);
    if (known.is_object() && known.contains("factor") && known["factor"].is_number()) {
        const double factor = known["factor"].get<double>();
        if (factor >= min_factor && factor <= max_factor)
            return host_rates().scaled(factor);
    }
    const double factor = std::clamp(measured_factor(), min_factor, max_factor);
    registry.remember(host_identity(), json{ { "factor", factor } }.dump(), kind);
    return host_rates().scaled(factor);
}

} // namespace cldsp
