// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The limits of devices for tests, and the profiles under which every executor runs.

#pragma once

#include "opencl/kernel_groups.h"
#include "tests/support/qa_support.h"

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <cppunit/TestAssert.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

// The limits of devices for tests of what follows from them, and the profiles under which
// every executor runs once.

namespace cldsp {

//! The profiles that lower the limits of a device.
inline std::vector<std::string> lowering_profiles()
{
    return { "vc4", "v3d", "cl12-min" };
}

//! The options of tests with the limits of a profile.
inline context_options profile_options(const std::string& profile)
{
    auto options = test_options();
    options.profile = profile;
    return options;
}

//! The device under test with the limits of a profile, and with buffers of at most
//! \p max_buffer bytes, so that small calls are divided.
inline std::shared_ptr<context> small_device(const std::string& profile,
                                             std::size_t max_buffer)
{
    auto info = test_device();
    info.limits.max_buffer = max_buffer;
    return std::make_shared<context>(info, profile_options(profile));
}

//! The same, as if it were a GPU with memory of its own.
inline std::shared_ptr<context> small_gpu(const std::string& profile,
                                          std::size_t max_buffer)
{
    auto info = test_device();
    info.kind = device_kind::gpu;
    info.limits.host_unified_memory = false;
    info.limits.max_buffer = max_buffer;
    return std::make_shared<context>(info, profile_options(profile));
}

//! A device of this kind with the limits of a desktop's GPU, "gpu"; of PoCL on a desktop,
//! "cpu"; or of the first one as a profile lowers them, where groups are no larger than
//! those of a compiled kernel: what is chosen for larger ones does not run.
inline device_info device_with_limits(const std::string& name)
{
    device_info device;
    device.name = name;
    const bool cpu = name == "cpu";
    device.kind = cpu ? device_kind::cpu : device_kind::gpu;
    auto& limits = device.limits;
    limits.max_work_group_size = cpu ? 4096 : 1024;
    std::fill_n(limits.max_work_item_sizes, 3, limits.max_work_group_size);
    limits.local_memory = std::size_t(cpu ? 1024 : 48) << 10;
    limits.max_buffer = std::size_t(4) << 30;
    limits.max_constant_buffer = std::size_t(64) << 10;
    limits.max_parameter_size = 4352;
    limits.compute_units = cpu ? 8 : 30;
    limits.native_vector_width_float = cpu ? 8 : 1;
    limits.images = limits.fp16 = limits.out_of_order = true;
    limits.host_unified_memory = cpu;
    limits.fma = limits.profiling = limits.maps_in_place = true;
    limits.fast_local_memory = true;
    if (!cpu && name != "gpu")
        limits = limits.lowered(name);
    limits = with_groups_of(limits, limits.max_kernel_group);
    return device;
}

//! The names for device_with_limits().
inline std::vector<std::string> devices_with_limits()
{
    return { "gpu", "cpu", "vc4", "v3d", "cl12-min" };
}

//! Limits that differ from others in the sizes of a work-group.
inline device_limits with_groups(device_limits limits, std::size_t items)
{
    limits.max_work_group_size = items;
    std::fill_n(limits.max_work_item_sizes, 3, items);
    return limits;
}

//! Limits that differ from others in the local memory.
inline device_limits with_local_memory(device_limits limits, std::size_t bytes)
{
    limits.local_memory = bytes;
    return limits;
}

//! A text of values with a blank between them.
template <class... T>
std::string words(const T&... values)
{
    std::ostringstream text;
    const char* separator = "";
    ((text << separator << values, separator = " "), ...);
    return text.str();
}

//! Lines with what is chosen for some limits and problems. Asserts that they are
//! those of a table.
class lines_of_choices
{
public:
    template <class... T>
    void add(const T&... values)
    {
        d_text += words(values...) + '\n';
    }

    void check(const std::string& table) const
    {
        std::istringstream got(d_text), wanted(table);
        std::string line, expected;
        while (std::getline(wanted, expected)) {
            if (expected.empty())
                continue;
            CPPUNIT_ASSERT_MESSAGE("too few lines:\n" + d_text,
                                   static_cast<bool>(std::getline(got, line)));
            CPPUNIT_ASSERT_EQUAL_MESSAGE("all lines:\n" + d_text, expected, line);
        }
        CPPUNIT_ASSERT_MESSAGE("too many lines:\n" + d_text, !std::getline(got, line));
    }

private:
    std::string d_text;
};

/*!
 * Asserts that a shape is as large as the limits allow: it is chosen again where they are
 * its own work-items and local memory, and with one work-item or one byte less another
 * one is chosen, which keeps to that.
 *
 * \param suggest gives the shape for some limits
 * \param same compares two shapes
 */
template <class Suggest, class Same>
void check_corners(const device_limits& limits, const Suggest& suggest, const Same& same)
{
    const auto shape = suggest(limits);
    const std::size_t items = shape.items(), bytes = shape.local_bytes();
    CPPUNIT_ASSERT(items >= 1 && items <= limits.max_work_group_size);
    CPPUNIT_ASSERT(bytes <= limits.local_memory);
    CPPUNIT_ASSERT(same(shape, suggest(with_local_memory(limits, bytes))));
    if (items > 1)
        CPPUNIT_ASSERT(suggest(with_groups(limits, items - 1)).items() < items);
    if (bytes > 0)
        CPPUNIT_ASSERT(suggest(with_local_memory(limits, bytes - 1)).local_bytes() <
                       bytes);
}

} // namespace cldsp
