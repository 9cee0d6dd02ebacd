// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks and chooses configurations of a kernel's parameters.

#include "tuning/kernel_parameters.h"

#include "tuning/tuner_internal.h"

#include <algorithm>
#include <set>

namespace cldsp {

namespace {

tuning_parameter searched(const kernel_parameter& parameter)
{
    std::set<std::int64_t> values(parameter.values.begin(), parameter.values.end());
    values.insert(parameter.usual);
    return { parameter.name, { values.begin(), values.end() } };
}

bool is_valid(const kernel_parameter& parameter, std::int64_t value)
{
    return value == parameter.usual ||
           std::count(parameter.values.begin(), parameter.values.end(), value) ||
           (parameter.also_valid && parameter.also_valid(value));
}

} // namespace

kernel_parameters::kernel_parameters(kernel_family family,
                                     std::vector<kernel_parameter> parameters,
                                     std::vector<tuning_constraint> constraints)
    : d_family(std::move(family)),
      d_parameters(std::move(parameters)),
      d_constraints(std::move(constraints))
{
}

tuning_values kernel_parameters::usual() const
{
    tuning_values values;
    for (const auto& p : d_parameters)
        values[p.name] = p.usual;
    return values;
}

const tuning_values* kernel_family::given(const context_options& options) const
{
    const auto found = options.tuning_defaults.find(name);
    return found == options.tuning_defaults.end() ? nullptr : &found->second;
}

std::string kernel_parameters::why_not(const tuning_values& configuration) const
{
    std::vector<tuning_parameter> parameters;
    for (auto p : d_parameters) {
        const auto found = configuration.find(p.name);
        if (found != configuration.end() && is_valid(p, found->second))
            p.values.push_back(found->second);
        parameters.push_back(searched(p));
    }
    return why_not_valid(parameters, d_constraints, configuration);
}

tuning_values kernel_parameters::chosen(const context_options& options,
                                        const tuning_values& tuned) const
{
    auto values = usual();
    const auto change = [&](const tuning_values& by, const char* what) {
        if (by.empty())
            return;
        auto changed = by;
        changed.insert(values.begin(), values.end()); // values that `by` does not name
        const auto why = why_not(changed);
        if (why.empty())
            values = std::move(changed);
        else
            log_to(options.log,
                   log_level::warning,
                   std::string(what) + " of " + d_family.name +
                       " are passed over: " + why);
    };
    if (const auto* defaults = d_family.given(options))
        change(*defaults, "the defaults given");
    change(tuned, "the tuned values");
    return values;
}

tuning_values kernel_parameters::recalled(wisdom& all,
                                          const device_info& device,
                                          const context_options& options,
                                          const tuning_problem& problem) const
{
    const auto answer = recall_tuning(
        all, place(device, options), problem, [&](const tuning_values& values) {
            return why_not(values).empty();
        });
    return answer ? answer->values : tuning_values();
}

kernel_parameters kernel_parameters::also(const std::string& parameter,
                                          const std::vector<std::int64_t>& values) const
{
    auto more = *this;
    for (auto& p : more.d_parameters)
        if (p.name == parameter)
            for (const auto value : values)
                if (is_valid(p, value))
                    p.values.push_back(value);
    return more;
}

kernel_parameters kernel_parameters::also(const tuning_values& configuration) const
{
    auto more = *this;
    for (const auto& [name, value] : configuration)
        more = more.also(name, { value });
    return more;
}

tuning_space kernel_parameters::space() const
{
    std::vector<tuning_parameter> parameters;
    for (const auto& p : d_parameters)
        parameters.push_back(searched(p));
    return tuning_space(std::move(parameters), d_constraints);
}

std::vector<std::int64_t> powers_of_two(std::int64_t most)
{
    std::vector<std::int64_t> powers;
    for (std::int64_t power = 1; power <= most; power *= 2)
        powers.push_back(power);
    return powers;
}

std::int64_t largest_group(const device_limits& limits)
{
    return static_cast<std::int64_t>(std::min({ limits.max_work_group_size,
                                                limits.max_work_item_sizes[0],
                                                std::size_t(1024) }));
}

} // namespace cldsp
