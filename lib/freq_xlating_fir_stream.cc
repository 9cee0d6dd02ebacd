/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating_fir_stream.h"
#include <algorithm>
#include <optional>
#include <utility>

namespace gr {
namespace cldsp {

freq_xlating_fir_stream::freq_xlating_fir_stream(
    const ::cldsp::freq_xlating_fir_problem& problem,
    const ::cldsp::freq_xlating_fir_options& options,
    ::cldsp::context_registry& registry)
    : d_options(options),
      d_registry(registry),
      d_first_problem(problem),
      d_engine(problem, options, registry),
      d_replanner(options, registry),
      d_plan(d_engine.chosen()),
      d_wanted_freq(problem.center_freq),
      d_wanted_taps(problem.taps),
      d_input(problem.input, problem.decimation, problem.taps.size())
{
}

void freq_xlating_fir_stream::start(::cldsp::memory_region in, ::cldsp::memory_region out)
{
    d_input.start();
    d_in_memory = in;
    d_out_memory = out;
    d_engine.reset();
    use_stream_memory();
}

void freq_xlating_fir_stream::stop()
{
    d_in_memory = d_out_memory = {};
    d_engine.set_stream_memory({}, {});
}

void freq_xlating_fir_stream::use_stream_memory()
{
    d_engine.set_stream_memory(d_in_memory, d_out_memory);
}

void freq_xlating_fir_stream::set_center_freq(double center_freq)
{
    ::cldsp::check_center_freq(center_freq);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted_freq = center_freq;
    d_changed = true;
}

void freq_xlating_fir_stream::set_taps(const std::vector<std::complex<float>>& taps)
{
    ::cldsp::check_taps(taps);
    d_input.check_max_taps(taps.size());
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    const bool replan = !same_kind(d_wanted_taps, taps);
    d_wanted_taps = taps;
    d_taps_changed = true;
    d_changed = true;
    if (replan)
        d_replanner.want(wanted_problem(), d_plan);
}

double freq_xlating_fir_stream::center_freq() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted_freq;
}

std::vector<std::complex<float>> freq_xlating_fir_stream::taps() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted_taps;
}

::cldsp::freq_xlating_fir_problem freq_xlating_fir_stream::wanted_problem() const
{
    auto problem = d_first_problem;
    problem.center_freq = d_wanted_freq;
    problem.taps = d_wanted_taps;
    return problem;
}

void freq_xlating_fir_stream::choose_again()
{
    std::unique_lock<std::mutex> guard(d_wanted_mutex);
    const auto problem = wanted_problem();
    guard.unlock();
    d_fresh.offer({ problem, d_options, d_registry });
}

void freq_xlating_fir_stream::take(engine_type&& fresh)
{
    d_engine.take_engine(std::move(fresh));
    use_stream_memory();
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_plan = d_engine.chosen();
}

void freq_xlating_fir_stream::plan_again()
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_replanner.want(wanted_problem(), d_plan);
}

void freq_xlating_fir_stream::take_fresh()
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

filter_load freq_xlating_fir_stream::load(const ::cldsp::run_statistics& statistics) const
{
    const auto& problem = d_first_problem;
    filter_load result;
    result.problem = { problem.input,
                       problem.decimation,
                       { taps() },
                       { center_freq() },
                       problem.sampling_freq };
    result.set_options(d_options);
    result.outputs = outputs_of_a_call(statistics);
    return result;
}

bool freq_xlating_fir_stream::apply_changes()
{
    double center_freq;
    std::optional<std::vector<std::complex<float>>> taps;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        if (!d_changed)
            return false;
        d_changed = false;
        center_freq = d_wanted_freq;
        if (d_taps_changed)
            taps = d_wanted_taps;
        d_taps_changed = false;
    }
    // Taps first: a retune moves the phase by the group delay of the taps that follow it.
    if (taps)
        d_engine.set_taps(*taps);
    if (center_freq != d_engine.problem().center_freq)
        d_engine.set_center_freq(center_freq);
    return true;
}

void freq_xlating_fir_stream::process(const void* in,
                                      std::size_t outputs,
                                      gr_complex* out)
{
    take_fresh();
    const auto read = d_input.next(in, outputs, d_engine.problem().taps.size());
    const ::cldsp::phase64 phase = d_engine.phase();
    d_engine.process(read.items, read.count, { out, outputs });
    d_input.remove_filling(read, d_engine.problem(), phase, out, outputs);
}

} // namespace cldsp
} // namespace gr
