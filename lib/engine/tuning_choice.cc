/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning_choice.h"

#include <utility>

namespace cldsp {

tuning_parameter
with(std::string name, const std::set<std::int64_t>& values, std::int64_t one_more)
{
    auto all = values;
    all.insert(one_more);
    return { std::move(name), { all.begin(), all.end() } };
}

tuning_values
chosen_values(tuning_values suggested,
              const std::string& family,
              const context_options& options,
              const tuning_values& tuned,
              const std::function<tuning_space(const tuning_values&)>& space_for)
{
    auto values = std::move(suggested);
    const auto change = [&](const tuning_values& by, const char* what) {
        if (by.empty())
            return;
        auto changed = by;
        changed.insert(values.begin(), values.end()); // what `by` does not name
        const auto why = space_for(changed).why_not(changed, tuning_point());
        if (why.empty())
            values = std::move(changed);
        else
            log_to(options.log,
                   log_level::warning,
                   std::string(what) + " of " + family + " are passed over: " + why);
    };
    const auto defaults = options.tuning_defaults.find(family);
    if (defaults != options.tuning_defaults.end())
        change(defaults->second, "the defaults given");
    change(tuned, "the tuned values");
    return values;
}

std::string tuned_text(const std::map<std::string, tuning_values>& found)
{
    std::string text;
    for (const auto& [name, values] : found) {
        if (values.empty())
            continue;
        text += " tuned for " + name + ":";
        for (const auto& [parameter, value] : values)
            text += " " + parameter + "=" + std::to_string(value);
    }
    return text;
}

} // namespace cldsp
