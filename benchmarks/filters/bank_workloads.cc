/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filters/bank_workloads.h"

#include <cldsp/errors.h>

#include <random>

namespace cldsp::bench {

const std::vector<bank_workload>& all_bank_workloads()
{
    static const std::vector<bank_workload> workloads = [] {
        std::vector<bank_workload> result;
        for (const auto& work : all_workloads())
            result.push_back({ work.name, work, 1 });
        result.push_back({ "W5", find_workload("W1"), 64 });
        result.push_back({ "W6", find_workload("W1"), 1024 });
        return result;
    }();
    return workloads;
}

const bank_workload& find_bank_workload(const std::string& name)
{
    for (const auto& work : all_bank_workloads())
        if (work.name == name)
            return work;
    throw_invalid("workloads", "'" + name + "'", "W1 to W6");
}

freq_xlating_filter_bank_problem make_bank_problem(const bank_workload& work)
{
    const auto filter = make_problem(work.filter, prototype::real);
    freq_xlating_filter_bank_problem problem;
    problem.decimation = filter.decimation;
    problem.sampling_freq = filter.sampling_freq;
    problem.taps = { filter.taps };
    problem.center_freqs = { filter.center_freq };
    std::minstd_rand random(1);
    std::uniform_real_distribution<double> anywhere(-0.5 * sampling_freq,
                                                    0.5 * sampling_freq);
    while (problem.channels() < work.channels)
        problem.center_freqs.push_back(anywhere(random));
    return problem;
}

call_memory::call_memory(const bank_workload& work, std::size_t items)
    : d_data(work.filter, items),
      d_outputs(d_data.items() / work.filter.decimation),
      d_more(work.channels - 1, std::vector<std::complex<float>>(d_outputs)),
      d_places{ d_data.out() }
{
    for (auto& channel : d_more)
        d_places.push_back(channel.data());
}

std::vector<std::complex<float>> call_memory::first_channel() const
{
    return { d_data.out(), d_data.out() + d_outputs };
}

} // namespace cldsp::bench
