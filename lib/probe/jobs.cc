// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the kernels of running blocks, or those of a workload by its name.

#include "probe/jobs.h"
#include "block_support.h"
#include "probe/kernels_to_tune.h"
#include <gnuradio/cldsp/engine_info.h>
#include <cldsp/errors.h>
#include <cldsp/tuner.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::device_info;

//! A kernel that a probe tunes if its name is requested.
struct probe_workload {
    std::string name;
    kernel_to_tune (*kernel)();
};

constexpr std::size_t filter_items = 8340; // items of a call in a flowgraph

::cldsp::freq_xlating_fir_problem filter(std::size_t taps, std::size_t decimation)
{
    constexpr double pi = 3.14159265358979323846;
    ::cldsp::freq_xlating_fir_problem problem;
    problem.decimation = decimation;
    problem.sampling_freq = 2016000;
    problem.center_freq = 123456.7;
    // A Hann window is a low-pass filter.
    const double length = static_cast<double>(taps) + 1;
    for (std::size_t k = 1; k <= taps; k++)
        problem.taps.push_back(static_cast<float>(
            (1 - std::cos(2 * pi * static_cast<double>(k) / length)) / length));
    return problem;
}

kernel_to_tune direct_filter(std::size_t taps, std::size_t decimation)
{
    return fir_kernel(filter(taps, decimation), filter_items, "auto");
}

kernel_to_tune fast_filter(std::size_t taps, std::size_t decimation)
{
    constexpr double accuracy = 1e-5; // the default of the blocks
    return fast_convolution_kernel(
        filter(taps, decimation), filter_items, accuracy, "vkfft");
}

kernel_to_tune product(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape)
{
    return gemm_kernel(type, shape, "auto");
}

const std::vector<probe_workload>& probe_workloads()
{
    using type = ::cldsp::gemm_type;
    static const auto& all = *new std::vector<probe_workload>{
        { "W1", [] { return direct_filter(2429, 42); } },
        { "W2", [] { return direct_filter(201, 42); } },
        { "W3", [] { return direct_filter(101, 1); } },
        { "W1-fast", [] { return fast_filter(2429, 42); } },
        { "W3-fast", [] { return fast_filter(101, 1); } },
        { "G1",
          [] {
              return product(type::f32, { 1024, 1024, 1024 });
          } },
        // A beamformer: 64 beams of 64 antennas.
        { "G2",
          [] {
              return product(type::c32, { 64, 65536, 64 });
          } },
        { "G3",
          [] {
              return gemm_1bit_kernel({ 4096, 4096, 4096 }, "auto");
          } },
    };
    return all;
}

//! The workload of this name; null: there is none.
const probe_workload* find_probe_workload(const std::string& name)
{
    for (const auto& work : probe_workloads())
        if (work.name == name)
            return &work;
    return nullptr;
}

//! Whether a block whose parameter is \p text may run on a device.
bool names(const std::string& text, const device_info& device)
{
    try {
        for (const auto& found : registry().find_devices(text))
            if (!found.is_host() && found.name == device.name)
                return true;
    } catch (const std::invalid_argument&) { // the device has gone
    }
    return false;
}

std::vector<probe_job> jobs_of_blocks(const device_info& device)
{
    std::vector<const replannable*> here, elsewhere;
    const auto blocks = running_blocks(); // keeps the blocks alive
    for (const auto& block : blocks) {
        const auto* planned = dynamic_cast<const replannable*>(block.get());
        const auto* info = dynamic_cast<const engine_info*>(block.get());
        if (!planned || !info || info->fell_back())
            continue;
        if (info->device_name() == device.name)
            here.push_back(planned);
        else if (names(planned->wanted_device(), device))
            elsewhere.push_back(planned);
    }
    std::vector<probe_job> jobs;
    std::set<std::string> known;
    for (const auto* block : here.empty() ? elsewhere : here)
        for (auto& kernel : block->kernels_to_tune())
            if ((!kernel.runs_on || kernel.runs_on(device)) &&
                known.insert(kernel.key).second)
                jobs.push_back({ device, std::move(kernel) });
    return jobs;
}

} // namespace

void probe_request::check() const
{
    if (what != "blocks" && what != "roofline" && !find_probe_workload(what)) {
        std::string all = "'blocks', 'roofline'";
        for (const auto& work : probe_workloads())
            all +=
                (&work == &probe_workloads().back() ? " or '" : ", '") + work.name + "'";
        ::cldsp::throw_invalid("what", "'" + what + "'", all);
    }
    if (!(budget_s >= 0.1 && budget_s <= 3600))
        ::cldsp::throw_invalid("budget_s", ::cldsp::number_text(budget_s), "0.1 to 3600");
    const auto known = ::cldsp::tuning_strategies();
    if (std::find(known.begin(), known.end(), strategy) != known.end())
        return;
    std::string all;
    for (const auto& name : known)
        all += (all.empty() ? "'" : ", '") + name + "'";
    ::cldsp::throw_invalid("strategy", "'" + strategy + "'", "one of " + all);
}

std::vector<device_info> probe_targets(const std::vector<device_info>& candidates)
{
    std::set<std::string> in_use;
    for (const auto& block : running_blocks())
        if (const auto* info = dynamic_cast<const engine_info*>(block.get()))
            in_use.insert(info->device_name());
    std::vector<device_info> targets;
    for (const auto& device : candidates)
        if (!device.is_host() && in_use.erase(device.name))
            targets.push_back(device);
    if (!targets.empty())
        return targets;
    const auto first = std::find_if(candidates.begin(),
                                    candidates.end(),
                                    [](const auto& device) { return !device.is_host(); });
    return { first == candidates.end() ? candidates.front() : *first };
}

std::vector<probe_job> probe_jobs(const probe_request& request, const device_info& device)
{
    if (request.what == "blocks")
        return jobs_of_blocks(device);
    return { { device, find_probe_workload(request.what)->kernel() } };
}

} // namespace cldsp
} // namespace gr
