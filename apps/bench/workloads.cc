// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The list of all workloads, and the rooflines of their devices.

#include "bench/workloads.h"
#include "output.h"

#include <algorithm>
#include <iterator>

#include "common/text.h"

namespace cldsp::app {

const roofline& bench_session::roof(const device_info& device, unsigned threads)
{
    const auto key = std::make_pair(device.id(), threads);
    const auto known = d_roofs.find(key);
    if (known != d_roofs.end())
        return known->second;
    roofline_options options;
    options.seconds = d_wish.roofline_seconds;
    options.threads = threads;
    options.progress = bench::terminal_progress("roofline of " + device.id());
    const auto found = measure_roofline(device, d_registry, options);
    bench::end_progress();
    return d_roofs.emplace(key, found).first->second;
}

std::vector<device_info> bench_session::devices() const
{
    auto all = d_wish.devices;
    if (std::none_of(
            all.begin(), all.end(), [](const auto& device) { return device.is_host(); }))
        all.emplace_back();
    return all;
}

std::vector<bench_workload> bench_workloads()
{
    std::vector<bench_workload> all;
    for (const auto& family : { filter_workloads(),
                                gemm_workloads(),
                                gemm_1bit_workloads(),
                                gemm_ladder_workloads(),
                                correlator_workloads() })
        std::copy(family.begin(), family.end(), std::back_inserter(all));
    return all;
}

} // namespace cldsp::app
