/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter_bank_stream.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <optional>
#include <string>

namespace gr {
namespace cldsp {

namespace {

std::size_t longest(const filter_bank_stream::taps_lists& taps)
{
    std::size_t most = 1;
    for (const auto& list : taps)
        most = std::max(most, list.size());
    return most;
}

void check(const filter_bank_stream::taps_lists& taps,
           const std::vector<double>& center_freqs)
{
    ::cldsp::freq_xlating_filter_bank_problem problem;
    problem.taps = taps;
    problem.center_freqs = center_freqs;
    problem.check();
}

} // namespace

filter_bank_stream::filter_bank_stream(
    const ::cldsp::freq_xlating_filter_bank_problem& problem,
    const ::cldsp::freq_xlating_filter_bank_options& options,
    ::cldsp::context_registry& registry)
    : d_options(options),
      d_registry(registry),
      d_first_problem(problem),
      d_engine(problem, options, registry),
      d_replanner(options, registry),
      d_plan(d_engine.chosen()),
      d_wanted_freqs(problem.center_freqs),
      d_wanted_taps(problem.taps),
      d_channel_changed(problem.channels()),
      d_input(problem.input, problem.decimation, longest(problem.taps)),
      d_phases(problem.channels())
{
}

void filter_bank_stream::start(::cldsp::memory_region in)
{
    d_input.start();
    d_in_memory = in;
    d_engine.reset();
    use_stream_memory();
}

void filter_bank_stream::stop()
{
    d_in_memory = {};
    d_engine.set_stream_memory({});
}

void filter_bank_stream::use_stream_memory() { d_engine.set_stream_memory(d_in_memory); }

void filter_bank_stream::set_center_freq(int channel, double center_freq)
{
    if (channel < 0 || static_cast<std::size_t>(channel) >= channels())
        ::cldsp::throw_invalid(
            "channel", std::to_string(channel), "0 to " + std::to_string(channels() - 1));
    ::cldsp::check_center_freq(center_freq);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted_freqs[channel] = center_freq;
    d_channel_changed[channel] = true;
    d_changed = true;
}

void filter_bank_stream::set_center_freqs(const std::vector<double>& center_freqs)
{
    if (center_freqs.size() != channels())
        ::cldsp::throw_invalid("center_freqs",
                               std::to_string(center_freqs.size()) + " values",
                               std::to_string(channels()) + " values, one a channel");
    check({ { 1 } }, center_freqs);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted_freqs = center_freqs;
    d_channel_changed.assign(channels(), true);
    d_changed = true;
}

void filter_bank_stream::set_taps(const taps_lists& taps)
{
    d_input.check_max_taps(longest(taps));
    check(taps, std::vector<double>(channels()));
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    const bool replan = !same_kind(d_wanted_taps, taps);
    d_wanted_taps = taps;
    d_channel_changed.assign(channels(), true);
    d_taps_changed = true;
    d_changed = true;
    if (replan)
        d_replanner.want(wanted_problem(), d_plan);
}

std::vector<double> filter_bank_stream::center_freqs() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted_freqs;
}

filter_bank_stream::taps_lists filter_bank_stream::taps() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted_taps;
}

::cldsp::freq_xlating_filter_bank_problem filter_bank_stream::wanted_problem() const
{
    auto problem = d_first_problem;
    problem.center_freqs = d_wanted_freqs;
    problem.taps = d_wanted_taps;
    return problem;
}

void filter_bank_stream::choose_again()
{
    std::unique_lock<std::mutex> guard(d_wanted_mutex);
    const auto problem = wanted_problem();
    guard.unlock();
    d_fresh.offer({ problem, d_options, d_registry });
}

void filter_bank_stream::take(engine_type&& fresh)
{
    d_engine.take_engine(std::move(fresh));
    use_stream_memory();
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_plan = d_engine.chosen();
}

void filter_bank_stream::plan_again()
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_replanner.want(wanted_problem(), d_plan);
}

void filter_bank_stream::take_fresh()
{
    // What was chosen for taps that have changed since is planned once more.
    d_fresh.take([this](engine_type&& fresh) {
        const bool fits = same_kind(fresh.problem().taps, d_engine.problem().taps);
        take(std::move(fresh));
        if (!fits)
            plan_again();
    });
    d_replanner.take(d_engine, [this](engine_type&& fresh) { take(std::move(fresh)); });
}

filter_load filter_bank_stream::load(const ::cldsp::run_statistics& statistics) const
{
    filter_load result;
    result.problem = d_first_problem;
    result.problem.taps = taps();
    result.problem.center_freqs = center_freqs();
    result.set_options(d_options);
    result.outputs = outputs_of_a_call(statistics);
    return result;
}

std::vector<std::size_t> filter_bank_stream::apply_changes()
{
    std::vector<std::size_t> changed;
    std::vector<double> center_freqs;
    std::optional<taps_lists> taps;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        if (!d_changed)
            return changed;
        d_changed = false;
        for (std::size_t channel = 0; channel < channels(); channel++)
            if (d_channel_changed[channel])
                changed.push_back(channel);
        d_channel_changed.assign(channels(), false);
        center_freqs = d_wanted_freqs;
        if (d_taps_changed)
            taps = d_wanted_taps;
        d_taps_changed = false;
    }
    // Taps first: a retune moves the phase by the group delay of the taps that follow it.
    if (taps)
        d_engine.set_taps(*taps);
    for (const std::size_t channel : changed)
        if (center_freqs[channel] != d_engine.problem().center_freqs[channel])
            d_engine.set_center_freq(channel, center_freqs[channel]);
    return changed;
}

void filter_bank_stream::process(const void* in,
                                 std::size_t outputs,
                                 gr_complex* const* out)
{
    take_fresh();
    const auto read = d_input.next(in, outputs, taps_in_use());
    for (std::size_t channel = 0; channel < channels(); channel++)
        d_phases[channel] = d_engine.phase(channel);
    d_engine.process(read.items, read.count, out, outputs);
    if (!d_input.needs_removal(read, taps_in_use()))
        return;
    for (std::size_t channel = 0; channel < channels(); channel++)
        d_input.remove_filling(read,
                               d_engine.problem().channel(channel),
                               d_phases[channel],
                               out[channel],
                               outputs);
}

} // namespace cldsp
} // namespace gr
