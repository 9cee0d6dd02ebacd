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
    limits.fma = false;
}

// What all drivers of Mesa's rusticl refuse or lack, as of Mesa 25.0. None of them
// reports that fma() is an instruction, and their queues with profiling block whoever
// asks for an event's status.
void lower_to_rusticl(device_limits& limits)
{
    lower_group(limits, 1024);
    lower(limits.local_memory, 32 * KiB);
    lower(limits.max_buffer, 1024 * MiB);
    lower(limits.max_constant_buffer, 64 * MiB);
    lower(limits.max_parameter_size, 4096);
    limits.base_address_alignment =
        std::max<std::size_t>(limits.base_address_alignment, 512);
    limits.fp16 = false;
    limits.fp64 = false;
    limits.out_of_order = false;
    limits.fma = false;
    limits.profiling = false;
    limits.maps_in_place = false;
}

// VideoCore VI and VII, the Raspberry Pi 4's and 5's. The driver runs groups of 256, but
// fits a compiled kernel into its registers by running fewer: every kernel of ours that
// its compiler has finished may have 32.
void lower_to_v3d(device_limits& limits)
{
    lower_to_rusticl(limits);
    lower_group(limits, 256);
    lower(limits.max_kernel_group, 32);
    lower(limits.compute_units, 1);
    limits.native_vector_width_float = 1;
    limits.images = false;
    limits.fast_local_memory = false;
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
    limits.fma = false;
}

} // namespace

std::vector<std::string> device_limits::profiles()
{
    return { "native", "vc4", "v3d", "rusticl", "cl12-min" };
}

device_limits device_limits::lowered(const std::string& profile) const
{
    device_limits limits = *this;
    if (profile == "vc4")
        lower_to_vc4(limits);
    else if (profile == "v3d")
        lower_to_v3d(limits);
    else if (profile == "rusticl")
        lower_to_rusticl(limits);
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
