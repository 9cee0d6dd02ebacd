// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Suggests work-groups for a filter within the limits of a GPU.

#include "direct/gpu_layout.h"

#include <algorithm>
#include <complex>

namespace cldsp {

namespace {

constexpr std::size_t default_outputs = 4;
constexpr std::size_t default_chunk = 64;

} // namespace

gpu_layout suggested_gpu_layout(const filter_channel& setup, const device_limits& limits)
{
    // Loads coalesce if neighbouring work-items take neighbouring taps. Where outputs lie
    // close together, or the taps do not fill a group, the work-items take neighbouring
    // outputs instead.
    const bool sums = setup.problem.decimation >= 4 && setup.taps() >= 128;
    gpu_layout layout{ sums, 1, default_outputs, default_chunk };
    const std::size_t most =
        std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]);
    const std::size_t wanted = sums && setup.taps() < 512 ? 32 : 64;
    while (layout.group * 2 <= std::min(most, wanted))
        layout.group *= 2;
    while (layout.group > 1 && layout.local_bytes() > limits.local_memory)
        layout.group /= 2;
    return layout;
}

std::size_t gpu_layout::local_bytes() const
{
    return sizeof(std::complex<float>) * (sums_in_group ? outputs * group : chunk);
}

} // namespace cldsp
