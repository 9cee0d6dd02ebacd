// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Runs filters, banks and single block sizes on the memory of a call.

#include "filters/bank_candidates.h"

#include "base/thread_pool.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "filter/filter_executor.h"
#include "freq_xlating/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace cldsp::bench {

namespace {

class block_candidate : public candidate
{
public:
    block_candidate(const bank_workload& work,
                    const call_memory& memory,
                    const std::string& variant,
                    std::size_t ifft_size,
                    double accuracy,
                    unsigned threads,
                    context_registry& registry)
        : d_memory(memory),
          d_variant(variant),
          d_rows(ifft_size),
          d_bound_db(
              accuracy_bound_db(make_problem(work.filter, prototype::real), accuracy))
    {
        const auto problem = make_bank_problem(work);
        std::vector<filter_channel> setups;
        for (std::size_t c = 0; c < problem.channels(); c++) {
            setups.emplace_back(problem.channel(c));
            d_calls.push_back({ work.is_bank() ? memory.out()[c] : memory.data().out(),
                                phase_correction(problem.center_freqs[c],
                                                 problem.sampling_freq,
                                                 work.filter.taps),
                                { memory.data().history(), memory.outputs(), 0 } });
        }
        plan_shape shape;
        shape.input = problem.input;
        shape.taps = work.filter.taps;
        shape.decimation = problem.decimation;
        shape.channels = setups.size();
        d_bank = make_host_fast_convolution(
            variant,
            setups,
            ifft_size,
            accuracy,
            std::make_shared<thread_pool>(work.is_bank() ? threads : 1),
            predicted_costs(shape, calibrated_rates(registry)));
    }

    candidate_name name() const override
    {
        return { "cldsp", "host", d_variant, "none", "real" };
    }
    std::size_t items() const override { return d_memory.items(); }
    double bound_db() const override { return d_bound_db; }
    std::string note() const override { return plan()->engine(); }
    std::optional<chosen_plan> plan() const override
    {
        chosen_plan plan;
        plan.device = plan.device_name = "host";
        plan.algorithm = "fast_convolution";
        plan.variant = d_variant;
        plan.transfer = "none";
        plan.ifft_size = d_rows;
        return plan;
    }

    void call() override
    {
        const auto& data = d_memory.data();
        d_bank->run({ data.window(), data.history(), data.items(), d_calls.data() });
    }
    std::vector<std::complex<float>> first_outputs() override
    {
        call();
        return d_memory.channel(0);
    }
    std::vector<std::complex<float>> channel_outputs(std::size_t channel) const override
    {
        return d_memory.channel(channel);
    }

private:
    const call_memory& d_memory;
    std::string d_variant;
    std::size_t d_rows;
    double d_bound_db;
    std::vector<channel_call> d_calls;
    std::unique_ptr<filter_executor> d_bank;
};

class group : public candidate
{
public:
    explicit group(std::vector<std::unique_ptr<candidate>> members)
        : d_members(std::move(members))
    {
    }

    candidate_name name() const override { return d_members[0]->name(); }
    std::size_t items() const override { return d_members[0]->items(); }
    double bound_db() const override { return d_members[0]->bound_db(); }
    std::string note() const override { return d_members[0]->note(); }
    std::optional<chosen_plan> plan() const override { return d_members[0]->plan(); }

    void begin() override
    {
        for (auto& member : d_members)
            member->begin();
    }
    void call() override
    {
        for (auto& member : d_members)
            member->call();
    }
    void end() override
    {
        for (auto& member : d_members)
            member->end();
    }
    std::vector<std::complex<float>> first_outputs() override
    {
        return d_members[0]->first_outputs();
    }

private:
    std::vector<std::unique_ptr<candidate>> d_members;
};

} // namespace

std::unique_ptr<candidate> make_block_candidate(const bank_workload& work,
                                                const call_memory& memory,
                                                const std::string& variant,
                                                std::size_t ifft_size,
                                                double accuracy,
                                                unsigned threads,
                                                context_registry& registry)
{
    return std::make_unique<block_candidate>(
        work, memory, variant, ifft_size, accuracy, threads, registry);
}

expected_channels::expected_channels(const bank_workload& work, const call_memory& memory)
    : d_memory(memory)
{
    const auto problem = make_bank_problem(work);
    const std::size_t count = std::min(work.channels, max_compared);
    for (std::size_t i = 0; i < count; i++) {
        const std::size_t c = i ? i * (work.channels - 1) / (count - 1) : 0;
        d_expected.emplace(
            c, expected_outputs(problem.channel(c), memory.data(), memory.outputs()));
    }
}

double expected_channels::error_db(candidate& filter) const
{
    // The candidates share the memory.
    const std::complex<float> none(NAN, NAN);
    for (const auto& [channel, expected] : d_expected)
        std::fill_n(d_memory.out()[channel], d_memory.outputs(), none);
    const auto first = filter.first_outputs();
    double largest = -INFINITY;
    for (const auto& [channel, expected] : d_expected) {
        const auto outputs = channel == 0 ? first : filter.channel_outputs(channel);
        if (!outputs.empty())
            largest = std::max(largest, expected.error_db(outputs));
    }
    return largest;
}

std::unique_ptr<candidate> make_group(std::vector<std::unique_ptr<candidate>> candidates)
{
    return std::make_unique<group>(std::move(candidates));
}

} // namespace cldsp::bench
