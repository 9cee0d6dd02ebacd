// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The numbers of channels, taps and items of each workload.

#include "filters/bank_workloads.h"

#include <cldsp/errors.h>

#include <random>

namespace cldsp::bench {

const std::vector<bank_workload>& all_bank_workloads()
{
    static const std::vector<bank_workload> workloads = [] {
        std::vector<bank_workload> result;
        for (const auto& work : all_workloads())
            result.push_back({ work.name, work });
        // The filter of a slow stream gets short calls: 25 ms.
        result.back().items = 2400;
        result.push_back({ "W5", find_workload("W1"), 64, 1 << 16 });
        result.push_back({ "W6", find_workload("W1"), 1024, 1 << 16 });
        // The short-wave band of a radio that samples it directly, 12 kS/s a channel.
        for (const std::size_t channels : { 10, 100, 500 }) {
            const std::string name = "W7_" + std::to_string(channels);
            const workload filter{ name,    356401,    10800, 5400, sample_type::s16,
                                   129.6e6, 28100809.3 };
            result.push_back({ name, filter, channels, 1 << 20, false });
        }
        // A few narrow channels of a very wide band.
        const workload wide{
            "W8", 49153, 4096, 8850, sample_type::fc32, 100e6, 21682723.2
        };
        result.push_back({ "W8", wide, 100, 1 << 20, false });
        // As W5 and W6, with channels that are equal distances apart.
        for (const std::size_t channels : { 64, 1024 })
            result.push_back({ "W9_" + std::to_string(channels),
                               find_workload("W1"),
                               channels,
                               1 << 16,
                               false,
                               true });
        return result;
    }();
    return workloads;
}

const bank_workload& find_bank_workload(const std::string& name)
{
    for (const auto& work : all_bank_workloads())
        if (work.name == name)
            return work;
    std::string names;
    for (const auto& work : all_bank_workloads())
        names += (names.empty() ? "" : ", ") + work.name;
    throw_invalid("workloads", "'" + name + "'", "one of " + names);
}

freq_xlating_filter_bank_problem make_bank_problem(const bank_workload& work)
{
    const auto filter = make_problem(work.filter, prototype::real);
    auto problem = bank_of_one(filter);
    if (work.on_raster) {
        const double distance = filter.sampling_freq / static_cast<double>(work.channels);
        for (std::size_t c = 1; c < work.channels; c++)
            problem.center_freqs.push_back(filter.center_freq +
                                           static_cast<double>(c) * distance);
        return problem;
    }
    std::minstd_rand random(1);
    // The lower half of a real stream's spectrum mirrors the upper half.
    const double lowest = is_complex(filter.input) ? -0.5 : 0;
    std::uniform_real_distribution<double> anywhere(lowest * filter.sampling_freq,
                                                    0.5 * filter.sampling_freq);
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

std::vector<std::complex<float>> call_memory::channel(std::size_t channel) const
{
    return { d_places.at(channel), d_places.at(channel) + d_outputs };
}

} // namespace cldsp::bench
