// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares the plans for usual and for long calls.

#include "freq_xlating/call_length.h"

#include "filter/variants.h"

#include <cldsp/freq_xlating_filter_bank.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

//! The devices with memory of their own among those that the options leave open.
enum class with_bus { none, some, all };

bool has_bus(const device_info& device)
{
    return !device.is_host() && !shares_memory(device);
}

//! For the host alone no driver is loaded.
with_bus devices_with_bus(const freq_xlating_filter_bank_options& options,
                          const context_registry& registry)
{
    const auto devices = open_devices(plan_options::of(options), registry);
    if (std::all_of(devices.begin(), devices.end(), has_bus))
        return with_bus::all;
    return std::any_of(devices.begin(), devices.end(), has_bus) ? with_bus::some
                                                                : with_bus::none;
}

//! Whether a device with memory of its own has a part in a plan.
bool uses_bus(const chosen_plan& plan,
              const freq_xlating_filter_bank_options& options,
              const context_registry& registry)
{
    // A plan for channels of different rates names all of its devices.
    const std::string names = ", " + plan.device + ", ";
    const auto devices = open_devices(plan_options::of(options), registry);
    return std::any_of(devices.begin(), devices.end(), [&](const auto& device) {
        return has_bus(device) &&
               names.find(", " + device.id() + ", ") != std::string::npos;
    });
}

} // namespace

bool is_clearly_faster(const chosen_plan& plan, const chosen_plan& other)
{
    constexpr double clearly = 1.25;
    return other.measured > 0 && plan.measured >= clearly * other.measured;
}

bool has_longer_calls(const freq_xlating_filter_bank_options& options)
{
    return options.longer_items > options.typical_items;
}

filter_selection
select_call_length(const filter_request& request,
                   const std::function<filter_selection(const filter_request&)>& select)
{
    const auto select_for = [&](std::size_t items) {
        auto options = request.options;
        options.typical_items = items;
        filter_request its{ request.problem, options, request.rates, request.registry };
        auto selected = select(its);
        selected.plan.call_items = items;
        return selected;
    };
    const std::size_t usual = request.options.typical_items,
                      longer = request.options.longer_items;
    const auto devices = has_longer_calls(request.options) && !request.options.at_once
                             ? devices_with_bus(request.options, *request.registry)
                             : with_bus::none;
    if (devices == with_bus::none)
        return select_for(usual);
    auto in_long_calls = select_for(longer);
    if (devices == with_bus::all ||
        uses_bus(in_long_calls.plan, request.options, *request.registry))
        return in_long_calls;
    auto in_usual_calls = select_for(usual);
    return is_clearly_faster(in_long_calls.plan, in_usual_calls.plan)
               ? std::move(in_long_calls)
               : std::move(in_usual_calls);
}

bool may_take_longer_calls(const freq_xlating_filter_bank_options& options,
                           const context_registry& registry)
{
    return has_longer_calls(options) &&
           devices_with_bus(options, registry) != with_bus::none;
}

} // namespace cldsp
