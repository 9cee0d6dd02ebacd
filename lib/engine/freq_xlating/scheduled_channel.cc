// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Mixes the input to 0 Hz item by item, and filters the result.

#include "freq_xlating/scheduled_channel.h"

#include "freq_xlating/bank_selection.h"

#include <utility>

namespace cldsp {

namespace {

filter_channel at_zero(const filter_channel& channel)
{
    channel_problem problem = channel.problem;
    problem.input = sample_type::fc32;
    problem.center_freq = 0;
    return filter_channel(problem);
}

filter_selection on_host(const filter_channel& channel,
                         const freq_xlating_filter_bank_options& options,
                         const host_rates& rates)
{
    freq_xlating_filter_bank_problem bank;
    bank.taps = { channel.problem.taps };
    bank.center_freqs = { 0.0 };
    bank.sampling_freq = channel.problem.sampling_freq;
    bank.decimation = channel.problem.decimation;
    if (channel.problem.interpolation != 1)
        bank.rates = { channel.problem.rate() };
    auto alone = options;
    alone.threads = 1; // the threads share the channels
    return host_instead(bank, alone, rates, "");
}

} // namespace

scheduled_channel::scheduled_channel(const filter_channel& channel,
                                     const frequency_schedule& its_schedule,
                                     const freq_xlating_filter_bank_options& options,
                                     const host_rates& rates)
    : schedule(its_schedule),
      d_input(channel.problem.input),
      d_channel(at_zero(channel)),
      d_selected(on_host(d_channel, options, rates))
{
}

void scheduled_channel::restart(const filter_channel& channel,
                                const frequency_schedule& its_schedule)
{
    schedule = its_schedule;
    if (!d_channel.has_taps(channel.problem.taps))
        set_taps(channel.problem.taps);
}

void scheduled_channel::set_taps(const shared_taps& taps)
{
    d_channel.set_taps(taps);
    d_selected.executor->configure(0, d_channel);
}

void scheduled_channel::run(const void* in,
                            std::int64_t first,
                            const channel_span& span,
                            std::complex<float>* out)
{
    if (span.outputs == 0)
        return;
    const rate_ratio rate = d_channel.problem.rate();
    const std::size_t before = span.first % rate.interpolation;
    const auto older = static_cast<std::size_t>(history());
    const std::size_t oldest = span.newest - older;
    const std::size_t later =
        rate.newest_item(before + span.outputs - 1) - rate.newest_item(before);
    d_mixed.resize(older + later + 1);
    schedule.mix(static_cast<const unsigned char*>(in) + oldest * sample_size(d_input),
                 d_input,
                 first + static_cast<std::int64_t>(oldest),
                 d_mixed.data(),
                 d_mixed.size());
    const channel_call mixed{ out, {}, { older, span.outputs, span.first } };
    d_selected.executor->run({ d_mixed.data(), older, later + 1, &mixed });
}

} // namespace cldsp
