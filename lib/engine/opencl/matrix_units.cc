/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/matrix_units.h"

#include <cldsp/opencl_platforms.h>

#include <algorithm>

namespace cldsp {

int compute_capability(const device_info& device)
{
    constexpr cl_device_info major_number = 0x4000, minor_number = 0x4001;
    if (device.is_host() || device.is_pocl || device.kind != device_kind::gpu)
        return 0;
    try {
        const auto platforms = opencl_platforms();
        if (device.platform >= platforms.size())
            return 0;
        const auto devices = opencl_devices(platforms[device.platform]);
        if (device.index >= devices.size())
            return 0;
        const auto& found = devices[device.index];
        const std::string extensions = " " + found.getInfo<CL_DEVICE_EXTENSIONS>() + " ";
        cl_uint major = 0, minor = 0;
        if (extensions.find(" cl_nv_device_attribute_query ") == std::string::npos ||
            clGetDeviceInfo(found(), major_number, sizeof(major), &major, nullptr) !=
                CL_SUCCESS ||
            clGetDeviceInfo(found(), minor_number, sizeof(minor), &minor, nullptr) !=
                CL_SUCCESS)
            return 0;
        return static_cast<int>(10 * major + minor);
    } catch (const cl::Error&) {
        return 0; // the planner reports why the device cannot be opened
    }
}

std::string missing_tensor_reason(const std::string& name,
                                  int capability,
                                  const device_limits& limits)
{
    if (capability >= min_tensor_capability) {
        const std::size_t items =
            std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]);
        if (items >= tensor_group_items)
            return "";
        return "it needs work-groups of " + std::to_string(tensor_group_items) +
               " work-items, and device '" + name + "' has at most " +
               std::to_string(items);
    }
    const std::string need = "it needs an NVIDIA GPU of compute capability 8.0 or later";
    if (capability == 0)
        return need + ", and device '" + name + "' is none";
    return need + ", and device '" + name + "' has " + std::to_string(capability / 10) +
           "." + std::to_string(capability % 10);
}

std::string missing_tensor_reason(const device_info& device)
{
    return missing_tensor_reason(device.name, compute_capability(device), device.limits);
}

} // namespace cldsp
