// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the wisdom for tuned values, and remembers the answers.

#include "tuning/tuned_lookup.h"

#include "tuning/kernel_parameters.h"

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

const tuning_values& tuned_lookup::of(const device_info& device,
                                      const std::string& variant,
                                      const tuning_problem& problem,
                                      const parameters_on& parameters)
{
    const auto name = device.id() + " " + variant + " " + problem.text();
    const auto known = d_found.find(name);
    if (known != d_found.end())
        return known->second;
    const auto where = d_registry.lowered(device);
    const auto its = parameters(where);
    return d_found[name] =
               its ? its->recalled(
                         d_registry.wisdom(), where, d_registry.options(), problem)
                   : tuning_values();
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
