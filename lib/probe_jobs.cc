/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe_jobs.h"
#include "running_blocks.h"
#include <gnuradio/cldsp/engine_info.h>
#include <cldsp/errors.h>
#include <cldsp/tuner.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::device_info;

struct named_workload {
    const char* name;
    std::size_t taps, decimation;
};
constexpr named_workload workloads[] = { { "W1", 2429, 42 },
                                         { "W2", 201, 42 },
                                         { "W3", 101, 1 } };
constexpr std::size_t workload_items = 8340; // a call in a flowgraph

const named_workload* find_workload(const std::string& name)
{
    for (const auto& work : workloads)
        if (work.name == name)
            return &work;
    return nullptr;
}

std::string number_text(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

probe_job job_of(const named_workload& work, const device_info& device)
{
    constexpr double pi = 3.14159265358979323846;
    ::cldsp::freq_xlating_fir_problem problem;
    problem.decimation = work.decimation;
    problem.sampling_freq = 2016000;
    problem.center_freq = 123456.7;
    // A Hann window is a low-pass filter.
    for (std::size_t k = 1; k <= work.taps; k++)
        problem.taps.push_back(static_cast<float>(
            (1 - std::cos(2 * pi * static_cast<double>(k) / (work.taps + 1.0))) /
            (work.taps + 1.0)));
    return { device, problem, workload_items, "auto" };
}

//! Whether the text of a block's parameter lets it run on a device.
bool names(const std::string& text, const device_info& device)
{
    try {
        for (const auto& found : ::cldsp::find_devices(text))
            if (!found.is_host() && found.name == device.name)
                return true;
    } catch (const std::invalid_argument&) { // the device has gone
    }
    return false;
}

//! The direct kernel of a block; empty: there is nothing to tune for it.
std::string tuned_variant(const filter_load& load)
{
    const bool known = load.variant == "auto" || load.variant == "cpu_tile" ||
                       load.variant == "gpu_tile";
    return known && load.algorithm != "fast_convolution" ? load.variant : "";
}

void add_jobs(std::vector<probe_job>& jobs,
              std::set<std::string>& known,
              const filter_load& load,
              const device_info& device)
{
    const std::string variant = tuned_variant(load);
    const auto& problem = load.problem;
    if (variant.empty() || problem.channels() == 0)
        return;
    // One list of taps may serve all channels.
    for (std::size_t i = 0; i < problem.taps.size(); i++) {
        const auto& taps = problem.taps[i];
        const bool real = std::all_of(
            taps.begin(), taps.end(), [](const auto& tap) { return tap.imag() == 0; });
        std::ostringstream key;
        key << ::cldsp::sample_type_name(problem.input) << ' ' << taps.size() << ' '
            << real << ' ' << problem.decimation << ' ' << load.typical_items << ' '
            << variant;
        if (known.insert(key.str()).second)
            jobs.push_back({ device, problem.channel(i), load.typical_items, variant });
    }
}

std::vector<probe_job> jobs_of_blocks(const device_info& device)
{
    std::vector<filter_load> here, elsewhere;
    for (const auto& block : running_blocks()) {
        const auto* filter = dynamic_cast<const replannable*>(block.get());
        const auto* info = dynamic_cast<const engine_info*>(block.get());
        if (!filter || !info || info->fell_back())
            continue;
        if (info->device_name() == device.name)
            here.push_back(filter->load());
        else
            elsewhere.push_back(filter->load());
    }
    if (here.empty())
        for (auto& load : elsewhere)
            if (names(load.device, device))
                here.push_back(std::move(load));
    std::vector<probe_job> jobs;
    std::set<std::string> known;
    for (const auto& load : here)
        add_jobs(jobs, known, load, device);
    return jobs;
}

} // namespace

void probe_request::check() const
{
    if (what != "blocks" && what != "roofline" && !find_workload(what))
        ::cldsp::throw_invalid(
            "what", "'" + what + "'", "'blocks', 'roofline', 'W1', 'W2' or 'W3'");
    if (!(budget_s >= 0.1 && budget_s <= 3600))
        ::cldsp::throw_invalid("budget_s", number_text(budget_s), "0.1 to 3600");
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
    return { job_of(*find_workload(request.what), device) };
}

} // namespace cldsp
} // namespace gr
