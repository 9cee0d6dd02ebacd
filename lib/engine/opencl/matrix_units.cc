// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Explains why matrix units cannot be used.

#include "opencl/matrix_units.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

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
    return missing_tensor_reason(device.name, device.compute_capability, device.limits);
}

std::string missing_warpgroup_reason(const std::string& name,
                                     int capability,
                                     const device_limits& limits)
{
    if (capability != warpgroup_capability) {
        const std::string need = "it needs an NVIDIA GPU of compute capability 9.0";
        return need + ", and device '" + name + "' " +
               (capability == 0 ? std::string("is none")
                                : "has " + std::to_string(capability / 10) + "." +
                                      std::to_string(capability % 10));
    }
    // The kernel takes up to 200 KB of local memory, which such a GPU has.
    if (may_use_large_tiles(limits, max_warpgroup_items))
        return "";
    return "it needs work-groups of " + std::to_string(max_warpgroup_items) +
           " work-items and the local memory of the GPU, and the limits of device '" +
           name + "' are lower";
}

std::string missing_warpgroup_reason(const device_info& device)
{
    return missing_warpgroup_reason(
        device.name, device.compute_capability, device.limits);
}

bool has_tensor_units(const device_info& device)
{
    return missing_tensor_reason(device).empty();
}

bool has_warpgroup_units(const device_info& device)
{
    return missing_warpgroup_reason(device).empty();
}

double warpgroup_tile::work(std::size_t m, std::size_t n, std::size_t compute_units) const
{
    const std::size_t rounds = (count(m, n) + compute_units - 1) / compute_units;
    // For rows * columns products a group loads as many words as rows + columns.
    return static_cast<double>(rounds) *
           static_cast<double>(rows() * columns + 32 * (rows() + columns));
}

namespace {

void check_range(const char* name, std::size_t value, std::size_t least, std::size_t most)
{
    if (value < least || value > most)
        throw_invalid(name,
                      std::to_string(value),
                      std::to_string(least) + " to " + std::to_string(most));
}

std::size_t max_items(const device_limits& limits)
{
    return std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]);
}

} // namespace

void check_tile(const warpgroup_tile& tile, const device_limits& limits, tensor_mode mode)
{
    const bool is_emulated = mode == tensor_mode::emulated;
    check_range("groups", tile.groups, 1, 4);
    check_range("stages", tile.stages, is_emulated ? 1 : 2, 8);
    check_range("parts", tile.parts, 1, 2);
    if (tile.columns != 64 && tile.columns != 128 &&
        (tile.columns != 256 || tile.is_summed))
        throw_invalid("columns",
                      std::to_string(tile.columns),
                      tile.is_summed ? "64 or 128" : "64, 128 or 256");
    check_range("work-items", tile.items(), 1, max_items(limits));
    // NVIDIA's OpenCL reports a part of its local memory only.
    if (is_emulated)
        check_range("local memory", tile.local_memory(), 1, limits.local_memory);
}

void check_tile(const warpgroup_wide_tile& tile,
                std::size_t parts,
                const device_limits& limits,
                tensor_mode mode)
{
    check_range("groups", tile.groups, 1, 4);
    check_range("steps", tile.steps, 1, 4);
    if (tile.columns != 64 && tile.columns != 128)
        throw_invalid("columns", std::to_string(tile.columns), "64 or 128");
    check_range("work-items", tile.items(), 1, max_items(limits));
    if (mode == tensor_mode::emulated)
        check_range("local memory", tile.local_memory(parts), 1, limits.local_memory);
}

std::string warpgroup_wide_tile::options(int type, int precision, tensor_mode mode) const
{
    return "-DWIDE=1 -DWIDE_STEPS=" + std::to_string(steps) + ' ' +
           warpgroup_tile{ groups, columns, 2, 1, true }.options(type, precision, mode);
}

std::string warpgroup_tile::options(int type, int precision, tensor_mode mode) const
{
    return "-DTYPE=" + std::to_string(type) +
           " -DPRECISION=" + std::to_string(precision) +
           " -DGROUPS=" + std::to_string(groups) +
           " -DCOLUMNS=" + std::to_string(columns) +
           " -DSTAGES=" + std::to_string(stages) +
           " -DSUMMED=" + std::to_string(is_summed ? 1 : 0) +
           " -DEMULATE=" + std::to_string(mode == tensor_mode::emulated ? 1 : 0);
}

} // namespace cldsp
