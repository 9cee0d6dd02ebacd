/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/tuning_choice.h"

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

std::string text_of(const tuning_values& values)
{
    std::string text;
    for (const auto& [parameter, value] : values)
        text += " " + parameter + "=" + std::to_string(value);
    return text;
}

} // namespace

const tuning_values* kernel_place::defaults_given() const
{
    const auto found = options.tuning_defaults.find(family());
    return found == options.tuning_defaults.end() ? nullptr : &found->second;
}

tuning_parameter
with(std::string name, const std::set<std::int64_t>& values, std::int64_t one_more)
{
    auto all = values;
    all.insert(one_more);
    return { std::move(name), { all.begin(), all.end() } };
}

std::set<std::int64_t> powers_of_two(std::int64_t most)
{
    std::set<std::int64_t> powers;
    for (std::int64_t power = 1; power <= most; power *= 2)
        powers.insert(power);
    return powers;
}

std::int64_t largest_group(const device_limits& limits)
{
    return static_cast<std::int64_t>(std::min({ limits.max_work_group_size,
                                                limits.max_work_item_sizes[0],
                                                std::size_t(1024) }));
}

tuning_values chosen_values(tuning_values suggested,
                            const kernel_place& place,
                            const tuning_values& tuned,
                            const space_for_values& space_for)
{
    auto values = std::move(suggested);
    const auto change = [&](const tuning_values& by, const char* what) {
        if (by.empty())
            return;
        auto changed = by;
        changed.insert(values.begin(), values.end()); // values that `by` does not name
        const auto why = space_for(changed).why_not(changed, tuning_point());
        if (why.empty())
            values = std::move(changed);
        else
            log_to(place.options.log,
                   log_level::warning,
                   std::string(what) + " of " + place.family() +
                       " are passed over: " + why);
    };
    if (const auto* given = place.defaults_given())
        change(*given, "the defaults given");
    change(tuned, "the tuned values");
    return values;
}

tuning_values recalled_values(wisdom& all,
                              const kernel_place& place,
                              const tuning_problem& problem,
                              const space_for_values& space_for)
{
    const auto fits = [&](const tuning_values& values) {
        return space_for(values).why_not(values, tuning_point()).empty();
    };
    const auto answer = recall_tuning(all, place.for_wisdom(), problem, fits);
    return answer ? answer->values : tuning_values();
}

const tuning_values&
tuned_lookup::of(const device_info& device,
                 const std::string& variant,
                 const std::string& problem,
                 const std::function<tuning_values(
                     wisdom&, const device_info&, const context_options&)>& recall)
{
    const auto name = device.id() + " " + variant + " " + problem;
    const auto known = d_found.find(name);
    if (known != d_found.end())
        return known->second;
    return d_found[name] = recall(
               d_registry.wisdom(), d_registry.lowered(device), d_registry.options());
}

std::string tuned_lookup::text() const
{
    std::string text;
    for (const auto& [name, values] : d_found)
        if (!values.empty())
            text += " tuned for " + name + ":" + text_of(values);
    return text;
}

std::string tuned_text(const tuning_values& values)
{
    return values.empty() ? "" : text_of(values).substr(1);
}

} // namespace cldsp
