// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Looks up tuned values while an object is made.

#pragma once

#include <cldsp/context.h>
#include <cldsp/tuned.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace cldsp {

class kernel_parameters;

//! Looks up tuned values while an object is made. Each question goes to the wisdom only
//! once.
class tuned_lookup
{
public:
    //! The parameters of a variant's kernel on a device whose limits the profile has
    //! lowered; empty: the variant has none.
    using parameters_on =
        std::function<std::optional<kernel_parameters>(const device_info& device)>;

    explicit tuned_lookup(context_registry& registry) : d_registry(registry) {}

    //! The tuned values of a variant for a problem on a device; empty if there are none.
    const tuning_values& of(const device_info& device,
                            const std::string& variant,
                            const tuning_problem& problem,
                            const parameters_on& parameters);
    //! All values that were found, in one line, for the key of a measurement: a
    //! measurement with other values does not hold.
    std::string text() const;

private:
    context_registry& d_registry;
    std::map<std::string, tuning_values> d_found;
};

//! The values as text for people, e.g. "tile=4 width=8"; empty if there are none.
std::string tuned_text(const tuning_values& values);

} // namespace cldsp
