/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "planning/device_rates.h"

#include <algorithm>

namespace cldsp {

device_rates estimated_rates(const device_info& device)
{
    const auto units =
        static_cast<double>(std::max<std::size_t>(1, device.limits.compute_units));
    // OpenCL tells no arithmetic units. A CPU's core has two that multiply and add
    // vectors at some 3 GHz, a large GPU's compute unit 128 lanes at 1.5 GHz, a small
    // one's as many as work-items fit into a group. PoCL and a PCI Express bus of the
    // third generation gave the times of calls and bytes.
    device_rates rates{};
    double flops;
    if (device.kind == device_kind::cpu) {
        const auto width = static_cast<double>(
            std::max<std::size_t>(4, device.limits.native_vector_width_float));
        flops = units * 2 * 2 * width * 3e9;
        rates.call = 3e-5;
        rates.map = 1e-5;
    } else {
        const auto lanes = static_cast<double>(std::min<std::size_t>(
            128, std::max<std::size_t>(1, device.limits.max_work_group_size)));
        flops = units * lanes * 2 * 1.5e9;
        rates.call = 4e-5;
        rates.map = 2e-5;
    }
    rates.flop = 2 / flops;
    rates.fft_flop = 10 / flops;
    rates.transfer = shares_memory(device) ? 0 : 1 / 12e9;
    rates.copy = 1 / 8e9;
    return rates;
}

} // namespace cldsp
