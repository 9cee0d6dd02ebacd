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

} // namespace cldsp
