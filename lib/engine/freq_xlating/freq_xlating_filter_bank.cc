/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/freq_xlating_filter_bank.h>

#include "base/thread_pool.h"
#include "filter/channel_spans.h"
#include "freq_xlating/scheduled_channel.h"
#include "freq_xlating/selection.h"
#include "planning/lost_device.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <new>
#include <utility>

namespace cldsp {

namespace {

// Schedules keep the frequencies of this many items before the history of the present
// taps, because later taps may be longer. A caller whose later taps cannot read as many
// calls forget_schedules_before().
constexpr std::int64_t max_more_history = std::int64_t(1) << 24;

std::string indexed(const std::string& name, std::size_t index)
{
    return name + "[" + std::to_string(index) + "]";
}

/*!
 * \param known lists that were checked before, which may be long
 */
void check_bank_taps(const std::vector<shared_taps>& taps,
                     std::size_t channels,
                     const std::vector<shared_taps>& known = {})
{
    if (taps.size() != 1 && taps.size() != channels)
        throw_invalid("taps",
                      std::to_string(taps.size()) + " lists",
                      "one list for all channels or " + std::to_string(channels) +
                          ", one per channel");
    for (std::size_t i = 0; i < taps.size(); i++) {
        const bool checked = (i > 0 && taps[i].is(taps[i - 1])) ||
                             (i < known.size() && taps[i].is(known[i]));
        if (!checked)
            check_taps(taps[i], taps.size() == 1 ? "taps" : indexed("taps", i));
    }
}

void check_bank_freqs(const std::vector<double>& center_freqs)
{
    for (std::size_t i = 0; i < center_freqs.size(); i++)
        check_center_freq(center_freqs[i], indexed("center_freqs", i));
}

} // namespace

freq_xlating_fir_problem
freq_xlating_filter_bank_problem::channel(std::size_t index) const
{
    return { input,
             rate(index).decimation,
             taps_of(index),
             center_freqs.at(index),
             sampling_freq,
             phase,
             rate(index).interpolation };
}

rate_ratio freq_xlating_filter_bank_problem::rate(std::size_t index) const
{
    if (rates.empty())
        return { 1, decimation };
    return rates.size() == 1 ? rates.front() : rates.at(index);
}

bool freq_xlating_filter_bank_problem::has_one_decimation() const
{
    return rates.empty() ||
           (rates.front().is_integer() &&
            std::all_of(rates.begin(), rates.end(), [this](const auto& rate) {
                return rate == rates.front();
            }));
}

freq_xlating_filter_bank_problem freq_xlating_filter_bank_problem::with_all_slots() const
{
    auto all = *this;
    if (has_one_decimation()) {
        all.decimation = rate(0).decimation;
        all.rates.clear();
    }
    if (max_channels <= channels())
        return all;
    all.center_freqs.resize(max_channels, 0.0);
    if (taps.size() > 1) {
        const auto longest =
            std::max_element(taps.begin(), taps.end(), [](const auto& a, const auto& b) {
                return a.size() < b.size();
            });
        all.taps.resize(max_channels, *longest);
    }
    return all;
}

void freq_xlating_filter_bank_problem::set_channel(std::size_t index,
                                                   const shared_taps& its_taps,
                                                   double center_freq)
{
    center_freqs.at(index) = center_freq;
    if (taps.size() < channels()) {
        if (taps.front() == its_taps)
            return;
        taps.resize(channels(), shared_taps(taps.front()));
    }
    const auto same = std::find(taps.begin(), taps.end(), its_taps);
    taps[index] = shared_taps(same != taps.end() ? *same : its_taps);
}

void freq_xlating_filter_bank_problem::free_slots(const std::vector<bool>& in_use)
{
    if (taps.size() < channels())
        return;
    const shared_taps* longest = nullptr;
    bool all_real = true;
    for (std::size_t c = 0; c < taps.size(); c++) {
        if (!in_use[c])
            continue;
        all_real = all_real && taps[c].are_real();
        if (!longest || taps[c].size() > longest->size())
            longest = &taps[c];
    }
    if (!longest)
        return;
    for (std::size_t c = 0; c < taps.size(); c++)
        if (!in_use[c] &&
            (taps[c].size() > longest->size() || (all_real && !taps[c].are_real())))
            taps[c] = *longest;
}

void freq_xlating_filter_bank_problem::check() const
{
    check_rates(decimation, sampling_freq);
    if (center_freqs.empty())
        throw_invalid("center_freqs", "empty", "one frequency or more, one per channel");
    check_bank_freqs(center_freqs);
    check_bank_taps(taps, channels());
    if (max_channels && (max_channels < channels() || max_channels > max_slots))
        throw_invalid("max_channels",
                      std::to_string(max_channels),
                      "0, or " + std::to_string(channels()) +
                          " (the number of "
                          "center_freqs) to " +
                          std::to_string(max_slots));
    if (rates.size() > 1 && rates.size() != slots())
        throw_invalid("rates",
                      std::to_string(rates.size()) + " of them",
                      "one for all slots or " + std::to_string(slots()) + ", one a slot");
    for (std::size_t i = 0; i < rates.size(); i++)
        rates[i].check(indexed("rates", i));
}

struct freq_xlating_filter_bank::implementation {
    freq_xlating_filter_bank_problem problem;
    freq_xlating_filter_bank_options options;
    std::vector<filter_channel> channels;  // one for each slot
    std::vector<bool> in_use, active;      // of each slot
    std::vector<bool> stale;               // channels that the executor has yet to take
    bool any_stale = false;                // whether there is one
    std::vector<phase64> phases;           // the phase of each channel's next output
    std::uint64_t stream_items = 0;        // items that calls have consumed
    std::vector<channel_span> spans;       // of a call with different rates
    std::vector<std::complex<float>*> out; // where a call's outputs go; null: nowhere
    const bool one_decimation;
    // The channels whose frequency is a schedule now, and those whose schedule has ended.
    std::vector<std::unique_ptr<scheduled_channel>> scheduled, ended;
    struct due_channel {
        std::size_t channel;
        std::complex<float>* out;
    };
    std::vector<due_channel> due; // the channels with a schedule that a call computes
    std::shared_ptr<thread_pool> pool; // for these; made when there are two
    host_rates rates;                  // for choosing the host after a device was lost
    filter_selection selected;

    implementation(const freq_xlating_filter_bank_problem& p,
                   const freq_xlating_filter_bank_options& o,
                   context_registry& registry)
        : problem((p.check(), p.with_all_slots())),
          options(o),
          channels(make_channels(problem)),
          in_use(problem.channels(), false),
          active(problem.channels(), false),
          stale(problem.channels(), false),
          phases(problem.channels()),
          out(problem.channels()),
          one_decimation(problem.has_one_decimation()),
          scheduled(problem.channels()),
          ended(problem.channels()),
          rates(calibrated_rates(registry))
    {
        std::fill_n(in_use.begin(), p.channels(), true);
        active = in_use;
        reset();
        selected = select_filter(problem, options, registry);
    }

    std::size_t history() const
    {
        std::size_t longest = 1;
        for (std::size_t c = 0; c < channels.size(); c++)
            if (in_use[c])
                longest = std::max(longest,
                                   one_decimation ? channels[c].taps()
                                                  : history_of(channels[c]) + 1);
        return longest - 1;
    }

    void check_slot(std::size_t channel) const
    {
        if (channel >= channels.size())
            throw_invalid("channel",
                          std::to_string(channel),
                          "0 to " + std::to_string(channels.size() - 1));
    }
    void check_channel(std::size_t channel) const
    {
        check_slot(channel);
        if (!in_use[channel])
            throw_invalid("channel",
                          std::to_string(channel) + ", a free slot",
                          "one of the channels in use");
    }

    phase64 phase_change(const filter_channel& channel, double hertz) const
    {
        if (problem.phase == phase_reference::input)
            return {};
        return phase_correction(hertz, problem.sampling_freq, channel.items_of_output());
    }

    //! The phase of the channel's next output, if its taps and its frequency have not
    //! changed since the stream began.
    phase64 unchanged_phase(const filter_channel& channel) const
    {
        return phase_change(channel, channel.problem.center_freq) -
               channel.step * newest_item(channel);
    }

    //! The newest item of the channel's next output, since the stream began.
    std::uint64_t newest_item(const filter_channel& channel) const
    {
        if (one_decimation) // whose calls end with an output
            return stream_items;
        const rate_ratio rate = channel.problem.rate();
        return rate.newest_item(rate.outputs(stream_items));
    }
    std::int64_t newest_item(std::size_t channel) const
    {
        return static_cast<std::int64_t>(newest_item(channels[channel]));
    }

    void reset()
    {
        stream_items = 0;
        for (std::size_t c = 0; c < scheduled.size(); c++)
            if (scheduled[c]) {
                end_schedule(c);
                configure(c);
            }
        for (std::size_t c = 0; c < phases.size(); c++)
            phases[c] = unchanged_phase(channels[c]);
    }

    // A channel that follows a schedule is idle for the executor. Its problem's frequency
    // and its phase are kept up to date, as if it could change to the executor at any
    // time.

    void follow(std::size_t c)
    {
        const std::int64_t newest = newest_item(c);
        phases[c] = -scheduled[c]->schedule.phase_at(newest);
        problem.center_freqs[c] = scheduled[c]->schedule.frequency_at(newest);
    }

    void start_schedule(std::size_t c, const std::vector<frequency_point>& points)
    {
        const std::int64_t newest = newest_item(c);
        if (scheduled[c]) {
            scheduled[c]->schedule.set_points(points, newest);
            follow(c);
            return;
        }
        frequency_schedule schedule(
            problem.sampling_freq, problem.center_freqs[c], newest, -phases[c]);
        schedule.set_points(points, newest);
        if (ended[c]) {
            ended[c]->restart(channels[c], schedule);
            scheduled[c] = std::move(ended[c]);
        } else {
            scheduled[c] = std::make_unique<scheduled_channel>(
                channels[c], schedule, options, rates);
        }
        follow(c);
    }

    //! The executor computes the channel from now on, when it is configured.
    void end_schedule(std::size_t c)
    {
        ended[c] = std::move(scheduled[c]);
        channels[c].set_center_freq(problem.center_freqs[c]);
    }

    //! Moves the output pointers of channels that follow a schedule from `out` to `due`.
    //! Returns whether the executor has outputs to compute.
    bool take_due()
    {
        due.clear();
        bool others = false;
        for (std::size_t c = 0; c < out.size(); c++) {
            if (scheduled[c] && scheduled[c]->is_constant_from(newest_item(c))) {
                end_schedule(c);
                configure(c);
            }
            if (scheduled[c] && out[c])
                due.push_back({ c, std::exchange(out[c], nullptr) });
            others = others || out[c];
        }
        return others;
    }

    //! Computes the outputs of a call.
    //! \param items the number of new items
    void compute(const filter_call& call, std::size_t items)
    {
        const bool runs = take_due();
        pass_stale();
        if (runs)
            guarded([&] { selected.executor->run(call); });
        if (due.empty())
            return;
        const auto first = static_cast<std::int64_t>(stream_items) -
                           static_cast<std::int64_t>(call.history);
        if (one_decimation)
            find_spans(channels, stream_items, call.history, items, spans);
        const auto run = [&](std::size_t i, unsigned) {
            const std::size_t c = due[i].channel;
            scheduled[c]->run(call.in, first, spans[c], due[i].out);
        };
        if (due.size() == 1)
            return run(0, 0);
        if (!pool)
            pool = std::make_shared<thread_pool>(options.threads);
        pool->parallel_for(due.size(), run);
    }

    void skip(std::uint64_t items)
    {
        for (std::size_t c = 0; c < phases.size(); c++)
            phases[c] += channels[c].step * newest_item(channels[c]);
        stream_items += items;
        for (std::size_t c = 0; c < phases.size(); c++)
            phases[c] += -channels[c].step * newest_item(channels[c]);
        for (std::size_t c = 0; c < scheduled.size(); c++)
            if (scheduled[c])
                follow(c);
        forget_schedules_before(static_cast<std::int64_t>(stream_items) -
                                static_cast<std::int64_t>(history()) - max_more_history);
    }

    //! Also those of idle channels, whose points come and pass all the same.
    void forget_schedules_before(std::int64_t item)
    {
        for (const auto& one : scheduled)
            if (one)
                one->schedule.forget_before(item);
    }

    //! Runs \p action; if a device fails, the host takes over, or the other devices if
    //! there are several.
    template <class F>
    void guarded(F&& action)
    {
        run_or_lose_device(action, [this](const char* why) { lose_device(why); });
        if (selected.executor->take_new_plan(selected.plan))
            selected.fell_back = true;
    }

    void lose_device(const std::string& why)
    {
        selected = host_instead(
            problem,
            options,
            rates,
            tell_lost_device(options.log, selected.executor->device_name(), why));
    }

    //! Passes a channel that has changed to the executor. If that lacks memory, the
    //! channel has changed all the same, and the next call that computes tries again.
    void configure(std::size_t channel)
    {
        try {
            pass(channel);
        } catch (const std::bad_alloc&) {
            stale[channel] = any_stale = true;
        }
    }
    void pass(std::size_t channel)
    {
        guarded([&] { selected.executor->configure(channel, channels[channel]); });
    }
    void pass_stale()
    {
        if (!any_stale)
            return;
        for (std::size_t c = 0; c < channels.size(); c++) {
            if (stale[c])
                pass(c);
            stale[c] = false;
        }
        any_stale = false;
    }

    //! Sets `out` to the output pointers of the active channels. Returns whether there is
    //! one.
    bool take_places(std::complex<float>* const* places)
    {
        bool any = false;
        for (std::size_t c = 0; c < out.size(); c++) {
            out[c] = active[c] ? places[c] : nullptr;
            any = any || out[c];
        }
        return any;
    }

    //! Gives the channels and the free slots the taps of the problem.
    void take_taps()
    {
        for (std::size_t c = 0; c < channels.size(); c++) {
            const auto& taps = problem.taps_of(c);
            if (channels[c].problem.taps.is(taps))
                continue;
            const bool same = channels[c].problem.taps == taps;
            channels[c].set_taps(taps);
            if (same)
                continue;
            configure(c);
            if (scheduled[c])
                scheduled[c]->set_taps(taps);
        }
    }

    void retune(std::size_t channel, double center_freq)
    {
        if (scheduled[channel])
            end_schedule(channel);
        phases[channel] +=
            phase_change(channels[channel], center_freq - problem.center_freqs[channel]);
        problem.center_freqs[channel] = center_freq;
        channels[channel].set_center_freq(center_freq);
        configure(channel);
    }
};

freq_xlating_filter_bank::freq_xlating_filter_bank(
    const freq_xlating_filter_bank_problem& problem,
    const freq_xlating_filter_bank_options& options,
    context_registry& registry)
    : d_impl(std::make_unique<implementation>(problem, options, registry))
{
}

freq_xlating_filter_bank::~freq_xlating_filter_bank() = default;
freq_xlating_filter_bank::freq_xlating_filter_bank(freq_xlating_filter_bank&&) noexcept =
    default;
freq_xlating_filter_bank&
freq_xlating_filter_bank::operator=(freq_xlating_filter_bank&&) noexcept = default;

std::size_t freq_xlating_filter_bank::channels() const
{
    return d_impl->problem.channels();
}
std::size_t freq_xlating_filter_bank::history() const { return d_impl->history(); }

process_result freq_xlating_filter_bank::process(const void* in,
                                                 std::size_t in_items,
                                                 std::complex<float>* const* out,
                                                 std::size_t room)
{
    auto& s = *d_impl;
    if (!s.one_decimation)
        throw_invalid("rates", "different", "one decimation (process_items() takes all)");
    const std::size_t history = s.history();
    const std::size_t fresh = in_items > history ? in_items - history : 0;
    const std::size_t outputs = std::min(fresh / s.problem.decimation, room);
    if (outputs == 0)
        return {};
    const std::size_t items = outputs * s.problem.decimation;
    if (s.take_places(out))
        s.compute({ in, history, s.out.data(), outputs, s.phases.data() }, items);
    s.skip(items);
    return { items, outputs };
}

std::size_t freq_xlating_filter_bank::process_items(const void* in,
                                                    std::size_t in_items,
                                                    std::complex<float>* const* out,
                                                    std::size_t room,
                                                    std::size_t* outputs)
{
    auto& s = *d_impl;
    if (s.one_decimation) {
        const auto done = process(in, in_items, out, room);
        std::fill_n(outputs, channels(), done.produced);
        return done.consumed;
    }
    const std::size_t history = s.history();
    std::uint64_t items = in_items > history ? in_items - history : 0;
    for (const auto& channel : s.channels) {
        const rate_ratio rate = channel.problem.rate();
        const std::uint64_t full = rate.outputs(s.stream_items) + room + 1;
        items = std::min(items, rate.items(full) - 1 - s.stream_items);
    }
    find_spans(s.channels, s.stream_items, history, items, s.spans);
    for (std::size_t c = 0; c < channels(); c++)
        outputs[c] = s.spans[c].outputs;
    if (items == 0)
        return 0;
    // A call shorter than the decimations often completes no output.
    const auto some = [](std::size_t count) { return count > 0; };
    if (std::any_of(outputs, outputs + channels(), some) && s.take_places(out))
        s.compute({ in, history, s.out.data(), items, s.phases.data(), s.spans.data() },
                  items);
    s.skip(items);
    return items;
}

rate_ratio freq_xlating_filter_bank::rate(std::size_t channel) const
{
    d_impl->check_slot(channel);
    return d_impl->problem.rate(channel);
}

bool freq_xlating_filter_bank::has_one_decimation() const
{
    return d_impl->one_decimation;
}

std::size_t freq_xlating_filter_bank::items_to_next_output() const
{
    const auto& s = *d_impl;
    if (s.one_decimation)
        return s.problem.decimation;
    std::uint64_t items = std::numeric_limits<std::uint64_t>::max();
    for (std::size_t c = 0; c < s.channels.size(); c++) {
        if (!s.active[c])
            continue;
        const rate_ratio rate = s.channels[c].problem.rate();
        items = std::min(items,
                         rate.items(rate.outputs(s.stream_items) + 1) - s.stream_items);
    }
    return items == std::numeric_limits<std::uint64_t>::max() ? 1 : items;
}

void freq_xlating_filter_bank::set_center_freq(std::size_t channel, double center_freq)
{
    d_impl->check_channel(channel);
    check_center_freq(center_freq);
    d_impl->retune(channel, center_freq);
}

void freq_xlating_filter_bank::set_center_freqs(const std::vector<double>& center_freqs)
{
    if (center_freqs.size() != channels())
        throw_invalid("center_freqs",
                      std::to_string(center_freqs.size()) + " of them",
                      std::to_string(channels()) + ", one per channel");
    check_bank_freqs(center_freqs);
    for (std::size_t c = 0; c < center_freqs.size(); c++)
        if (d_impl->in_use[c] && center_freqs[c] != d_impl->problem.center_freqs[c])
            d_impl->retune(c, center_freqs[c]);
}

void freq_xlating_filter_bank::schedule(std::size_t channel,
                                        const std::vector<frequency_point>& points)
{
    d_impl->check_channel(channel);
    d_impl->start_schedule(channel, points);
}

bool freq_xlating_filter_bank::has_schedule(std::size_t channel) const
{
    d_impl->check_slot(channel);
    return d_impl->scheduled[channel] != nullptr;
}

freq_xlating_filter_bank::scheduled_item
freq_xlating_filter_bank::schedule_at(std::size_t channel, std::int64_t item) const
{
    d_impl->check_slot(channel);
    const auto& scheduled = d_impl->scheduled[channel];
    if (!scheduled)
        throw_invalid("channel",
                      std::to_string(channel) + ", without a schedule",
                      "a channel that follows a schedule");
    return { scheduled->schedule.frequency_at(item), scheduled->schedule.phase_at(item) };
}

void freq_xlating_filter_bank::forget_schedules_before(std::int64_t item)
{
    d_impl->forget_schedules_before(item);
}

std::size_t freq_xlating_filter_bank::stretches(std::size_t channel) const
{
    d_impl->check_slot(channel);
    const auto& scheduled = d_impl->scheduled[channel];
    return scheduled ? scheduled->schedule.stretches() : 0;
}

void freq_xlating_filter_bank::set_taps(const std::vector<shared_taps>& taps)
{
    check_bank_taps(taps, channels(), d_impl->problem.taps);
    d_impl->problem.taps = taps;
    d_impl->take_taps();
}

void freq_xlating_filter_bank::set_channel_active(std::size_t channel, bool active)
{
    d_impl->check_channel(channel);
    d_impl->active[channel] = active;
}

bool freq_xlating_filter_bank::channel_active(std::size_t channel) const
{
    d_impl->check_slot(channel);
    return d_impl->active[channel];
}

bool freq_xlating_filter_bank::has_channel(std::size_t channel) const
{
    d_impl->check_slot(channel);
    return d_impl->in_use[channel];
}

std::size_t freq_xlating_filter_bank::add_channel(const shared_taps& taps,
                                                  double center_freq,
                                                  std::optional<rate_ratio> rate)
{
    const auto& in_use = d_impl->in_use;
    for (std::size_t channel = 0; channel < channels(); channel++)
        if (!in_use[channel] && (!rate || d_impl->problem.rate(channel) == *rate)) {
            place_channel(channel, taps, center_freq);
            return channel;
        }
    if (rate && std::find(in_use.begin(), in_use.end(), false) != in_use.end())
        throw_invalid(
            "rate", rate->text() + " items for an output", "that of a free slot");
    throw_invalid("channels",
                  "all in use, 0 to " + std::to_string(channels() - 1),
                  "less than " + std::to_string(channels()) + " (max_channels)");
}

void freq_xlating_filter_bank::place_channel(std::size_t channel,
                                             const shared_taps& taps,
                                             double center_freq)
{
    auto& s = *d_impl;
    s.check_slot(channel);
    if (!taps.is(s.problem.taps_of(channel)))
        check_taps(taps);
    check_center_freq(center_freq);
    filter_channel placed(
        channel_problem(s.problem, s.problem.rate(channel), taps, center_freq));
    s.problem.set_channel(channel, taps, center_freq);
    placed.set_taps(s.problem.taps_of(channel)); // which other channels may share
    s.channels[channel] = std::move(placed);
    s.scheduled[channel].reset();
    s.ended[channel].reset();
    s.in_use[channel] = s.active[channel] = true;
    s.phases[channel] = s.unchanged_phase(s.channels[channel]);
    s.configure(channel);
    s.problem.free_slots(s.in_use);
    s.take_taps();
}

void freq_xlating_filter_bank::remove_channel(std::size_t channel)
{
    d_impl->check_channel(channel);
    d_impl->in_use[channel] = d_impl->active[channel] = false;
    d_impl->scheduled[channel].reset();
    d_impl->ended[channel].reset();
    d_impl->problem.free_slots(d_impl->in_use);
    d_impl->take_taps();
}

void freq_xlating_filter_bank::take_engine(freq_xlating_filter_bank&& fresh)
{
    // Free slots are configured only where the fresh engine holds other, perhaps longer,
    // taps for them.
    std::vector<bool> differs(channels());
    for (std::size_t c = 0; c < differs.size(); c++)
        differs[c] =
            !fresh.d_impl->channels[c].problem.taps.is(d_impl->channels[c].problem.taps);
    take_selection(d_impl->selected, std::move(fresh.d_impl->selected));
    for (std::size_t c = 0; c < channels(); c++)
        if (d_impl->in_use[c] || differs[c])
            d_impl->configure(c);
}

void freq_xlating_filter_bank::reset() { d_impl->reset(); }

void freq_xlating_filter_bank::skip(std::uint64_t outputs)
{
    d_impl->skip(d_impl->one_decimation ? outputs * d_impl->problem.decimation : outputs);
}

void freq_xlating_filter_bank::set_stream_memory(memory_region in, memory_region out)
{
    auto& s = *d_impl;
    s.guarded([&] { s.selected.executor->set_stream_memory(in, out); });
}

const freq_xlating_filter_bank_problem& freq_xlating_filter_bank::problem() const
{
    return d_impl->problem;
}
phase64 freq_xlating_filter_bank::phase(std::size_t channel) const
{
    return d_impl->phases.at(channel);
}
std::string freq_xlating_filter_bank::device_name() const
{
    return d_impl->selected.executor->device_name();
}
std::string freq_xlating_filter_bank::algorithm_name() const
{
    return d_impl->selected.plan.algorithm;
}
std::string freq_xlating_filter_bank::variant_name() const
{
    return d_impl->selected.executor->variant_name();
}
std::string freq_xlating_filter_bank::transfer_name() const
{
    return d_impl->selected.executor->transfer_name();
}
std::string freq_xlating_filter_bank::plan() const
{
    return d_impl->selected.plan.text();
}
const chosen_plan& freq_xlating_filter_bank::chosen() const
{
    return d_impl->selected.plan;
}
run_statistics freq_xlating_filter_bank::statistics() const
{
    return d_impl->selected.executor->statistics();
}
bool freq_xlating_filter_bank::fell_back() const { return d_impl->selected.fell_back; }

} // namespace cldsp
