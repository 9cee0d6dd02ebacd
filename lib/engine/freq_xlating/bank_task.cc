/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/bank_task.h"

#include "freq_xlating/filter_check.h"
#include "base/trial_memory.h"
#include "filter/kept_bins.h"

#include <algorithm>
#include <chrono>
#include <complex>
#include <utility>

namespace cldsp {

//! The input and outputs of a typical call.
class typical_bank_call
{
public:
    typical_bank_call(const bank_task& task, std::size_t outputs)
        : d_outputs(outputs),
          d_past(task.shape().taps - 1),
          d_in(trial_input(task.shape().input,
                           d_past + (d_outputs - 1) * task.shape().decimation + 1)),
          d_out(task.shape().channels * d_outputs * sizeof(std::complex<float>)),
          d_phases(task.shape().channels)
    {
        for (std::size_t c = 0; c < d_phases.size(); c++)
            d_channels.push_back(d_out.as<std::complex<float>>() + c * d_outputs);
    }

    memory_region in() const { return d_in.region(); }
    void keep() const noexcept
    {
        d_in.keep();
        d_out.keep();
    }
    bool is_kept() const noexcept { return d_in.is_kept(); }
    void run(bank_executor& executor) const
    {
        executor.run(
            { d_in.as<void>(), d_past, d_channels.data(), d_outputs, d_phases.data() });
    }

    void forget_outputs() const
    {
        fill_with_nonsense(d_out.as<void>(), d_out.region().bytes);
    }

    //! Of some channels against the host's.
    output_error compare(const bank_task& task, bool fast) const
    {
        for (const auto& range : some_outputs(d_channels.size(), checked_channels))
            for (std::size_t c = range.first; c < range.first + range.count; c++) {
                const auto& setup = task.setups()[c];
                output_comparison comparison;
                compare_filter_outputs(setup,
                                       d_in.as<unsigned char>() +
                                           (d_past + 1 - setup.taps()) *
                                               sample_size(task.shape().input),
                                       d_channels[c],
                                       d_outputs,
                                       comparison);
                output_error one{ comparison.error(), max_output_error };
                if (fast)
                    one.bound = fast_convolution_bound(setup.problem.taps,
                                                       task.options().accuracy);
                if (!one.is_right())
                    return one;
            }
        return {};
    }

private:
    static constexpr std::size_t checked_channels = 2; // of each range

    std::size_t d_outputs, d_past;
    trial_memory d_in, d_out;
    std::vector<std::complex<float>*> d_channels;
    std::vector<phase64> d_phases;
};

namespace {

class bank_trial final : public plan_trial
{
public:
    bank_trial(std::unique_ptr<bank_executor> executor,
               std::shared_ptr<const typical_bank_call> call,
               const bank_task& task,
               bool fast)
        : d_task(task),
          d_fast(fast),
          d_call(std::move(call)),
          d_executor(std::move(executor))
    {
        // Before memory is wrapped: a device may keep what is there now.
        d_call->forget_outputs();
        d_executor->set_stream_memory(d_call->in());
    }

    double run() override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        d_call->run(*d_executor);
        return std::chrono::duration<double>(clock::now() - start).count();
    }

    output_error check() override
    {
        run();
        return d_call->compare(d_task, d_fast);
    }

private:
    const bank_task& d_task;
    bool d_fast;
    // The memory outlives what may have wrapped it.
    std::shared_ptr<const typical_bank_call> d_call;
    std::unique_ptr<bank_executor> d_executor;
    kept_if_lost<bank_executor, typical_bank_call> d_kept{ *d_executor, *d_call };
};

} // namespace

bank_task::bank_task(const freq_xlating_filter_bank_problem& problem,
                     const freq_xlating_filter_bank_options& options)
    : d_problem(problem), d_options(options)
{
    const std::size_t channels = problem.channels();
    d_setups.reserve(channels);
    for (std::size_t c = 0; c < channels; c++)
        d_setups.emplace_back(problem.channel(c));

    d_shape.input = problem.input;
    for (const auto& taps : problem.taps)
        d_shape.taps = std::max(d_shape.taps, taps.size());
    d_shape.decimation = problem.decimation;
    d_shape.channels = channels;
    d_shape.kept = kept();
    d_shape.threads = thread_pool::count_for(options.threads);
    d_shape.real_taps = has_real_taps();

    constexpr std::size_t max_outputs = 1 << 25; // of all channels, 256 MiB
    const std::size_t outputs =
        std::clamp<std::size_t>(options.typical_items / problem.decimation,
                                1,
                                std::max<std::size_t>(1, max_outputs / channels));
    d_shape.items = outputs * problem.decimation;
}

//! Some prototypes speak for all of them.
double bank_task::kept() const
{
    constexpr std::size_t most = 8;
    const std::size_t stride = (d_problem.taps.size() + most - 1) / most;
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < d_problem.taps.size(); i += stride, count++)
        sum += kept_bins(d_problem.taps[i], d_options.accuracy);
    return sum / count;
}

bool bank_task::has_real_taps() const
{
    return std::all_of(d_setups.begin(), d_setups.end(), [](const fir_setup& setup) {
        return setup.real_taps;
    });
}

const std::shared_ptr<thread_pool>& bank_task::pool() const
{
    if (!d_pool)
        d_pool = std::make_shared<thread_pool>(d_options.threads);
    return d_pool;
}

std::unique_ptr<plan_trial> bank_task::make_trial(std::unique_ptr<bank_executor> executor,
                                                  bool fast) const
{
    // Made with the first measurement: often there is none.
    if (!d_call || d_call->is_kept())
        d_call = std::make_shared<typical_bank_call>(*this,
                                                     d_shape.items / d_shape.decimation);
    return std::make_unique<bank_trial>(std::move(executor), d_call, *this, fast);
}

std::unique_ptr<plan_trial> bank_task::make_check(std::unique_ptr<bank_executor> executor,
                                                  bool fast) const
{
    constexpr std::size_t most = 64;
    if (!d_short_call || d_short_call->is_kept())
        d_short_call = std::make_shared<typical_bank_call>(
            *this, std::min(most, d_shape.items / d_shape.decimation));
    return std::make_unique<bank_trial>(std::move(executor), d_short_call, *this, fast);
}

} // namespace cldsp
