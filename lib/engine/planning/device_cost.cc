/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/cost_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cldsp {

bool shares_memory(const device_info& device)
{
    return device.kind == device_kind::cpu || device.limits.host_unified_memory;
}

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

double predict_device(const plan_shape& shape,
                      const device_info& device,
                      const std::string& transfer,
                      std::size_t rows,
                      const host_rates& host)
{
    const auto rates = estimated_rates(device);
    const auto channels = static_cast<double>(shape.channels);
    const auto outputs = static_cast<double>(shape.outputs());
    double flops = 8 * channels * outputs * static_cast<double>(shape.taps);
    double compute = rates.flop * flops;
    if (rows) {
        const std::size_t a_block = block_outputs(shape, "bins", rows);
        if (a_block == 0)
            return std::numeric_limits<double>::infinity();
        const auto blocks =
            static_cast<double>((shape.outputs() + a_block - 1) / a_block);
        const auto m = static_cast<double>(rows);
        const double items = m * static_cast<double>(shape.decimation);
        flops = 5 * items * std::log2(items) +
                channels * (8 * std::max(shape.kept * items, m) + 5 * m * std::log2(m));
        compute = rates.fft_flop * blocks * flops;
    }
    const double bytes =
        static_cast<double>(shape.items * sample_size(shape.input)) +
        channels * outputs * static_cast<double>(sizeof(std::complex<float>));
    // The direct algorithm runs one channel after the other.
    const double runs = rows ? 1 : channels;
    double seconds = runs * rates.call + compute + bytes * rates.transfer;
    if (transfer != "zero_copy")
        seconds += 2 * runs * rates.map + bytes * rates.copy;
    // OpenCL tells little of a CPU, but the host has been measured, and they are one.
    return device.kind == device_kind::cpu ? seconds * host.slowness : seconds;
}

} // namespace cldsp
