// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Names the device, variant and block size of a plan.

#include "bench/plans.h"

namespace cldsp::app {

const device_info* device_of(const bench::measurement& measured,
                             const std::vector<device_info>& devices)
{
    for (const auto& device : devices)
        if (measured.plan && measured.plan->device == device.id())
            return &device;
    return nullptr;
}

std::string what_ran(const bench::measurement& measured)
{
    if (!measured.plan)
        return measured.note;
    const auto& plan = *measured.plan;
    if (!plan.shares.empty()) {
        std::string parts;
        for (const auto& share : plan.shares)
            parts += (parts.empty() ? "" : ", ") + std::to_string(share.channels) +
                     " on " + share.device + " by " + share.algorithm + "/" +
                     share.variant;
        return parts;
    }
    std::string text = plan.algorithm + "/" + plan.variant;
    if (plan.transfer != "none")
        text += "/" + plan.transfer;
    text += " on " + plan.device;
    if (plan.ifft_size)
        text += ", block " + std::to_string(plan.ifft_size);
    if (plan.fft_size)
        text += ", blocks of " + std::to_string(plan.fft_size) + " items";
    return text;
}

} // namespace cldsp::app
