/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating_fir_stream.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <string>

namespace gr {
namespace cldsp {

namespace {

constexpr std::size_t min_reserve = 8192;

std::complex<double> zero_item_value(::cldsp::sample_type type)
{
    const unsigned char zeros[16] = {};
    return ::cldsp::sample_at(zeros, type, 0);
}

} // namespace

freq_xlating_fir_stream::freq_xlating_fir_stream(
    const ::cldsp::freq_xlating_fir_problem& problem,
    const ::cldsp::freq_xlating_fir_options& options,
    ::cldsp::context_registry& registry)
    : d_engine(problem, options, registry),
      d_wanted_freq(problem.center_freq),
      d_wanted_taps(problem.taps),
      d_past_items(problem.taps.size() - 1),
      d_max_taps(std::max(min_reserve, 4 * problem.taps.size())),
      d_item_size(::cldsp::sample_size(problem.input)),
      d_history(d_item_size, d_max_taps, problem.decimation),
      d_zero_value(zero_item_value(problem.input))
{
}

void freq_xlating_fir_stream::start(::cldsp::memory_region in, ::cldsp::memory_region out)
{
    d_in_memory = in;
    d_out_memory = out;
    d_begun = false;
    d_items = 0;
    d_engine.reset();
    use_stream_memory();
}

void freq_xlating_fir_stream::stop()
{
    d_in_memory = {};
    d_out_memory = {};
    d_engine.set_stream_memory({}, {});
}

void freq_xlating_fir_stream::use_stream_memory()
{
    const bool kept = taps_in_use() - 1 > d_past_items;
    d_engine.set_stream_memory(kept ? d_history.memory() : d_in_memory, d_out_memory);
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
    if (taps.size() > d_max_taps)
        ::cldsp::throw_invalid(
            "taps",
            std::to_string(taps.size()) + " values",
            "1 to " + std::to_string(d_max_taps) +
                " values (the larger of 8192 and four times the number "
                "at construction)");
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted_taps = taps;
    d_taps_changed = true;
    d_changed = true;
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
    if (taps) {
        const bool kept = taps_in_use() - 1 > d_past_items;
        d_engine.set_taps(*taps);
        if (kept != (taps_in_use() - 1 > d_past_items))
            use_stream_memory();
    }
    if (center_freq != d_engine.problem().center_freq)
        d_engine.set_center_freq(center_freq);
    return true;
}

// What lies before the first item is in the first call's past: zeros in a new flowgraph,
// items of the stream in one that was reconfigured.
void freq_xlating_fir_stream::begin(const void* in)
{
    d_begun = true;
    d_history.reset();
    d_history.append(in, d_past_items);
    const auto* bytes = static_cast<const unsigned char*>(in);
    d_preloaded = std::all_of(bytes,
                              bytes + d_past_items * d_item_size,
                              [](unsigned char b) { return b == 0; });
}

std::size_t
freq_xlating_fir_stream::process(const void* in, std::size_t outputs, gr_complex* out)
{
    if (!d_begun)
        begin(in);

    const auto* bytes = static_cast<const unsigned char*>(in);
    const unsigned char* items = bytes + d_past_items * d_item_size;
    const std::size_t past = taps_in_use() - 1;
    if (past > d_past_items)
        return process_kept(items, outputs, out);

    const ::cldsp::phase64 phase = d_engine.phase();
    const auto done = d_engine.process(items - past * d_item_size,
                                       past + outputs * d_engine.problem().decimation,
                                       { out, outputs });
    remove_preload(phase, done.produced, out);
    d_history.skip_through(items, done.consumed);
    d_items += done.consumed;
    return done.produced;
}

// The taps reach further back than the calls do: work on the copy that has it all.
std::size_t freq_xlating_fir_stream::process_kept(const void* items,
                                                  std::size_t outputs,
                                                  gr_complex* out)
{
    const auto* from = static_cast<const unsigned char*>(items);
    const std::size_t decimation = d_engine.problem().decimation;
    const std::size_t past = taps_in_use() - 1;
    const std::size_t piece = d_history.max_append() / decimation;

    std::size_t produced = 0;
    while (produced < outputs) {
        const std::size_t count = std::min(piece, outputs - produced);
        d_history.append(from + produced * decimation * d_item_size, count * decimation);
        const ::cldsp::phase64 phase = d_engine.phase();
        const auto done = d_engine.process(d_history.newest(past + count * decimation),
                                           past + count * decimation,
                                           { out + produced, count });
        remove_preload(phase, done.produced, out + produced);
        d_items += count * decimation;
        produced += count;
    }
    return produced;
}

// GNU Radio fills the past of a new stream with zero bytes, which in an offset binary
// format are a full-scale constant and not silence. What they put into the first outputs
// is known exactly, so it is taken out again.
void freq_xlating_fir_stream::remove_preload(::cldsp::phase64 phase,
                                             std::size_t outputs,
                                             gr_complex* out) const
{
    const auto& problem = d_engine.problem();
    const std::size_t taps = problem.taps.size();
    if (!d_preloaded || d_zero_value == 0.0 || d_items + 1 >= taps)
        return;

    // tail[i]: the sum of the rotated taps from i on, which meet the items before the
    // first.
    std::vector<std::complex<double>> tail(taps + 1);
    for (std::size_t k = taps; k-- > 0;)
        tail[k] = tail[k + 1] +
                  std::complex<double>(problem.taps[k]) * (problem.step() * k).phasor();

    const ::cldsp::phase64 step = problem.step() * problem.decimation;
    std::size_t first = d_items + 1;
    for (std::size_t n = 0; n < outputs && first < taps; n++) {
        out[n] -= gr_complex(d_zero_value * tail[first] * phase.phasor());
        phase = phase - step;
        first += problem.decimation;
    }
}

} // namespace cldsp
} // namespace gr
