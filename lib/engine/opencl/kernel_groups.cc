// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Compares the work-groups of kernels with what the compiled kernels may have.

#include "opencl/kernel_groups.h"

#include "base/arithmetic.h"

#include <cldsp/errors.h>

namespace cldsp {

void refuse_group(const context& device,
                  std::size_t most,
                  std::size_t items,
                  const std::string& variant)
{
    try {
        throw_invalid("variant",
                      "'" + variant + "'",
                      "another one on device '" + device.name() +
                          "', which runs groups of " + std::to_string(most) +
                          " work-items of its kernel, not of " + std::to_string(items));
    } catch (const std::invalid_argument& e) {
        throw group_refused(e.what(), most);
    }
}

void check_group_size(const context& device,
                      const cl::Kernel& kernel,
                      std::size_t items,
                      const std::string& variant)
{
    if (const std::size_t most = max_group_of(device, kernel); items > most)
        refuse_group(device, most, items, variant);
}

std::size_t
group_up_to(const context& device, const cl::Kernel& kernel, std::size_t wanted)
{
    return power_of_two_up_to(
        std::max<std::size_t>(1,
                              std::min({ wanted,
                                         device.limits().max_work_item_sizes[0],
                                         max_group_of(device, kernel) })));
}

bool has_few_registers(const device_limits& limits)
{
    return limits.max_work_group_size >= min_group && limits.max_work_group_size < 64;
}

device_limits with_groups_of(device_limits limits, std::size_t items)
{
    limits.max_work_group_size = std::min(limits.max_work_group_size, items);
    for (auto& size : limits.max_work_item_sizes)
        size = std::min(size, items);
    return limits;
}

} // namespace cldsp
