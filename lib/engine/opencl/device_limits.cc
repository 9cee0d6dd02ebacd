// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The profiles of small devices, to which the limits of larger ones can be lowered.

#include <cldsp/device_limits.h>
#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;

void lower(std::size_t& value, std::size_t limit) { value = std::min(value, limit); }

void lower_group(device_limits& limits, std::size_t items)
{
    lower(limits.max_work_group_size, items);
    for (auto& size : limits.max_work_item_sizes)
        lower(size, items);
}

// VideoCore IV has twelve quad processors. VC4CL runs one work-group at a time on them.
void lower_to_vc4(device_limits& limits)
{
    lower_group(limits, 12);
    lower(limits.max_buffer, 64 * MiB);
    lower(limits.max_constant_buffer, 64 * MiB);
    lower(limits.compute_units, 1);
    limits.images = false;
    limits.fp16 = false;
    limits.fp64 = false;
    limits.out_of_order = false;
}

// The minimum of each value of clGetDeviceInfo() in OpenCL 1.2, section 10 (embedded
// profile).
void lower_to_cl12_min(device_limits& limits)
{
    lower_group(limits, 1);
    lower(limits.local_memory, 1 * KiB);
    lower(limits.max_buffer, 1 * MiB);
    lower(limits.max_constant_buffer, 1 * KiB);
    lower(limits.max_parameter_size, 256);
    lower(limits.compute_units, 1);
    limits.images = false;
    limits.fp16 = false;
    limits.fp64 = false;
    limits.out_of_order = false;
}

} // namespace

std::vector<std::string> device_limits::profiles()
{
    return { "native", "vc4", "cl12-min" };
}

device_limits device_limits::lowered(const std::string& profile) const
{
    device_limits limits = *this;
    if (profile == "vc4")
        lower_to_vc4(limits);
    else if (profile == "cl12-min")
        lower_to_cl12_min(limits);
    else if (!profile.empty() && profile != "native") {
        std::string known;
        for (const auto& name : profiles())
            known += (known.empty() ? "" : ", ") + name;
        throw_invalid("profile", "'" + profile + "'", "one of " + known);
    }
    return limits;
}

} // namespace cldsp
