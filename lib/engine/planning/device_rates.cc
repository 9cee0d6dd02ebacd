// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Estimates the speed of a device from what OpenCL tells of it.

#include "planning/device_rates.h"

#include <algorithm>

namespace cldsp {

device_rates estimated_rates(const device_info& device)
{
    const auto units =
        static_cast<double>(std::max<std::size_t>(1, device.limits.compute_units));
    // OpenCL does not tell the number of arithmetic units. The estimates assume that a
    // CPU's core has two units that multiply and add vectors at 3 GHz. A large GPU's
    // compute unit has 128 lanes at 1.5 GHz, and a small GPU's as many lanes as a group
    // has work-items. The times of calls and bytes were measured with PoCL and with a PCI
    // Express bus of the third generation. Memory bandwidth is taken to grow with the
    // number of units. Devices that share the host's memory have at most the host's
    // bandwidth.
    constexpr double shared_bandwidth = 30e9;
    device_rates rates{};
    double flops, unit_bandwidth;
    if (device.kind == device_kind::cpu) {
        const auto width = static_cast<double>(
            std::max<std::size_t>(4, device.limits.native_vector_width_float));
        flops = units * 2 * 2 * width * 3e9;
        unit_bandwidth = 10e9;
        rates.call = 3e-5;
        rates.map = 1e-5;
    } else {
        const auto lanes = static_cast<double>(std::min<std::size_t>(
            128, std::max<std::size_t>(1, device.limits.max_work_group_size)));
        flops = units * lanes * 2 * 1.5e9;
        unit_bandwidth = 25e9;
        rates.call = 4e-5;
        rates.map = 2e-5;
    }
    // Mesa's drivers, which copy what is mapped, take long for a launch: 1.4 ms on its
    // processor, on which a kernel with barriers runs as coroutines (measured there: a
    // hundredth of the assumed rate). A GPU without memory of its own for a group, such
    // as V3D, has a fraction of the assumed lanes and of their clock.
    if (!device.limits.maps_in_place) {
        rates.call = 1e-3;
        rates.map = 3e-4;
        if (device.kind == device_kind::cpu)
            flops /= 100;
        else if (!device.limits.fast_local_memory)
            flops /= 12;
    }
    rates.flop = 2 / flops;
    rates.fft_flop = 10 / flops;
    rates.memory = 1 / (units * unit_bandwidth);
    if (shares_memory(device))
        rates.memory = std::max(rates.memory, 1 / shared_bandwidth);
    rates.transfer = shares_memory(device) ? 0 : 1 / 12e9;
    rates.copy = 1 / 8e9;
    return rates;
}

} // namespace cldsp
