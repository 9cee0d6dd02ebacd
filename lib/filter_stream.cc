// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Applies changes between calls, and gives the engine the past items that it needs.

#include "filter_stream.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gr {
namespace cldsp {

namespace {

// The history that GNU Radio keeps costs no time, and few filters need more.
constexpr std::size_t min_past_taps = 8192;

std::vector<::cldsp::rate_ratio>
rates_of(const ::cldsp::freq_xlating_filter_bank_problem& problem)
{
    std::vector<::cldsp::rate_ratio> rates;
    for (std::size_t slot = 0; slot < problem.slots(); slot++)
        rates.push_back(problem.rate(slot));
    return rates;
}

// The items that one output takes, rounded up.
std::size_t items_per_output(const ::cldsp::rate_ratio& rate)
{
    return (rate.decimation + rate.interpolation - 1) / rate.interpolation;
}

std::shared_ptr<::cldsp::context_registry>
never_destroyed(::cldsp::context_registry& registry)
{
    return { std::shared_ptr<void>(), &registry };
}

void check_max_taps(std::size_t taps)
{
    const std::size_t most = filter_stream::max_taps();
    if (taps > most)
        ::cldsp::throw_invalid("taps",
                               std::to_string(taps) + " values",
                               "1 to " + std::to_string(most) + " values");
}

} // namespace

filter_stream::filter_stream(const problem_type& problem,
                             const options_type& options,
                             ::cldsp::context_registry& registry)
    : d_options(options),
      d_registry(registry),
      d_channels(std::max(problem.channels(), problem.max_channels)),
      d_given(problem.channels()),
      d_rates(rates_of(problem)),
      d_one_decimation(problem.has_one_decimation()),
      d_sampling_freq(problem.sampling_freq),
      d_past_items(past_items_of(problem)),
      d_past_bytes(d_past_items * ::cldsp::sample_size(problem.input)),
      d_stream(problem, options, never_destroyed(registry), { d_past_items, 0 }),
      d_plan(engine().chosen()),
      d_wanted(problem.with_all_slots()),
      d_slots(d_channels),
      d_connected(d_channels),
      d_outputs(d_channels)
{
    for (std::size_t channel = 0; channel < d_given; channel++) {
        d_slots[channel].in_use = d_slots[channel].active = true;
        d_slots[channel].listed_freq = problem.center_freqs[channel];
    }
}

//! The frequency, and no schedule any more.
void filter_stream::slot::set_freq()
{
    changes.set = changes.freq_set = true;
    changes.schedule.clear();
}

//! \param by_channel whether a channel was added, not removed
void filter_stream::slot::replace(bool by_channel)
{
    in_use = active = changes.set = by_channel;
    changes.freq_set = false;
    changes.schedule.clear();
    changes.replaced = true;
}

//! The caller holds d_wanted_mutex.
std::vector<bool> filter_stream::slots_in_use() const
{
    std::vector<bool> in_use;
    for (const auto& slot : d_slots)
        in_use.push_back(slot.in_use);
    return in_use;
}

std::size_t filter_stream::past_items_of(const problem_type& problem)
{
    const std::size_t taps = ::cldsp::stream_bank::longest_taps(problem.taps);
    check_max_taps(taps);
    const std::size_t past = std::max(min_past_taps, 4 * taps) - 1;
    if (problem.has_one_decimation())
        return past;
    // Outputs that lie between items read some more items, and an output may be given up
    // to a decimation after its newest item.
    std::size_t more = 0, late = 0;
    for (const auto& rate : rates_of(problem)) {
        more = std::max(more, rate.further_taps());
        late = std::max(late, items_per_output(rate));
    }
    return std::max(past, taps - 1 + more + late);
}

void filter_stream::start(::cldsp::memory_region in, ::cldsp::memory_region out)
{
    d_stream.reset(); // this ends schedules; schedules that are not applied yet are kept
    d_coming_points.clear();
    d_taken_points.clear();
    d_stream.set_stream_memory(in, out);
    d_stream.planning()->resume();
}

void filter_stream::stop()
{
    d_stream.planning()->pause();
    d_stream.set_stream_memory({}, {});
}

void filter_stream::set_connected(std::size_t outputs)
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_connected = outputs;
}

void filter_stream::check_slot(int channel) const
{
    if (channel < 0 || static_cast<std::size_t>(channel) >= d_channels)
        ::cldsp::throw_invalid(
            "channel", std::to_string(channel), "0 to " + std::to_string(d_channels - 1));
}

//! Checks that a slot has a channel. The caller holds d_wanted_mutex.
void filter_stream::check_channel(int channel) const
{
    check_slot(channel);
    if (!d_slots[channel].in_use)
        ::cldsp::throw_invalid("channel",
                               std::to_string(channel) + ", a free slot",
                               "one of the channels in use");
}

void filter_stream::set_center_freq(int channel, double center_freq)
{
    check_slot(channel);
    ::cldsp::check_center_freq(center_freq);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    check_channel(channel);
    d_wanted.center_freqs[channel] = center_freq;
    d_slots[channel].set_freq();
    d_changed = true;
}

namespace {

//! Replaces the points from the first one of \p later on. If there is not enough memory,
//! the list is unchanged.
template <class LIST>
void replace_points(LIST& points, const std::vector<::cldsp::frequency_point>& later)
{
    std::ptrdiff_t replaced = 0;
    for (auto point = points.rbegin();
         point != points.rend() && point->sample >= later.front().sample;
         ++point)
        replaced++;
    const auto begin = points.insert(points.end(), later.begin(), later.end());
    points.erase(begin - replaced, begin);
}

} // namespace

void filter_stream::schedule(int channel, const std::vector<frequency_point>& points)
{
    check_slot(channel);
    ::cldsp::check_points(points);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    check_channel(channel);
    d_changed = true;
    // Lists that follow each other become one, so that many calls before the next call of
    // work() take a time in proportion to their points.
    auto& lists = d_slots[channel].changes.schedule;
    if (points.empty())
        lists.assign(1, {}); // what was not applied yet has no effect any more
    else if (lists.empty() || lists.back().empty())
        lists.push_back(points);
    else
        replace_points(lists.back(), points);
}

void filter_stream::set_center_freqs(const std::vector<double>& center_freqs)
{
    set_listed_freqs(center_freqs, set_channels::all);
}

void filter_stream::update_center_freqs(const std::vector<double>& center_freqs)
{
    set_listed_freqs(center_freqs, set_channels::different);
}

void filter_stream::set_listed_freqs(const std::vector<double>& center_freqs,
                                     set_channels which)
{
    if (center_freqs.size() != d_channels && center_freqs.size() != d_given)
        ::cldsp::throw_invalid("center_freqs",
                               std::to_string(center_freqs.size()) + " values",
                               std::to_string(d_channels) + " values, one per channel");
    problem_type problem;
    problem.taps = { { 1 } };
    problem.center_freqs = center_freqs;
    problem.check();
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    for (std::size_t channel = 0; channel < d_channels; channel++) {
        auto& slot = d_slots[channel];
        std::optional<double> listed;
        if (channel < center_freqs.size())
            listed = center_freqs[channel];
        if (listed && slot.in_use &&
            (which == set_channels::all || listed != slot.listed_freq)) {
            d_wanted.center_freqs[channel] = *listed;
            slot.set_freq();
            d_changed = true;
        }
        if (which == set_channels::different)
            slot.listed_freq = listed;
    }
}

void filter_stream::set_taps(const taps_type& taps)
{
    set_listed_taps(taps, set_channels::all);
}

void filter_stream::update_taps(const taps_type& taps)
{
    set_listed_taps(taps, set_channels::different);
}

void filter_stream::set_listed_taps(const taps_type& taps, set_channels which)
{
    check_max_taps(::cldsp::stream_bank::longest_taps(taps));
    problem_type problem;
    problem.taps = taps;
    problem.center_freqs.resize(taps.size() == d_given ? d_given : d_channels);
    problem.check();
    taps_type all = taps; // the lists from before are freed after the mutex
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    std::size_t set = d_channels; // the slots whose taps are set
    if (taps.size() > 1 && taps.size() < d_channels) {
        set = taps.size();
        for (std::size_t channel = set; channel < d_channels; channel++)
            all.push_back(d_wanted.taps_of(channel));
    }
    d_wanted.taps.swap(all);
    const auto is_set = [&](std::size_t channel) {
        return d_slots[channel].in_use &&
               (which == set_channels::all ||
                !(d_wanted.taps_of(channel) == all[all.size() == 1 ? 0 : channel]));
    };
    bool any = which == set_channels::all;
    for (std::size_t channel = 0; channel < set; channel++)
        if (is_set(channel))
            any = d_slots[channel].changes.set = true;
    if (!any)
        return;
    d_taps_changed = true;
    d_changed = true;
    want_plan(all);
}

void filter_stream::set_channel_active(int channel, bool active)
{
    check_slot(channel);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    check_channel(channel);
    d_slots[channel].active = active;
    d_changed = true;
}

int filter_stream::add_channel(const shared_taps& taps,
                               double center_freq,
                               std::optional<int> slot,
                               std::optional<::cldsp::rate_ratio> rate)
{
    ::cldsp::check_taps(taps);
    check_max_taps(taps.size());
    ::cldsp::check_center_freq(center_freq);
    if (slot)
        check_slot(*slot);
    const auto suits = [&](std::size_t channel) {
        return !rate || d_rates[channel] == *rate;
    };
    if (slot && !suits(*slot))
        ::cldsp::throw_invalid("channel",
                               std::to_string(*slot) + ", whose decimation is " +
                                   d_rates[*slot].text(),
                               "a free slot of decimation " + rate->text());
    taps_type before; // holds the replaced taps, to free them after the mutex is released
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    if (slot && d_slots[*slot].in_use)
        ::cldsp::throw_invalid(
            "channel", std::to_string(*slot) + ", which is in use", "a free slot");
    if (!slot) {
        std::size_t free = 0;
        while (free < d_channels && (d_slots[free].in_use || !suits(free)))
            free++;
        if (free == d_channels)
            ::cldsp::throw_invalid(
                "channels",
                rate && !d_one_decimation
                    ? "all in use of decimation " + rate->text()
                    : "all in use, 0 to " + std::to_string(d_channels - 1),
                "less than " + std::to_string(d_channels) + " (max_channels)");
        slot = static_cast<int>(free);
    }
    before = d_wanted.taps;
    d_wanted.set_channel(*slot, taps, center_freq);
    d_slots[*slot].replace(true);
    d_wanted.free_slots(slots_in_use());
    d_changed = true;
    want_plan(before);
    return *slot;
}

void filter_stream::remove_channel(int channel)
{
    check_slot(channel);
    taps_type before;
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    check_channel(channel);
    before = d_wanted.taps;
    d_wanted.center_freqs[channel] = 0;
    d_slots[channel].replace(false);
    d_wanted.free_slots(slots_in_use());
    d_changed = true;
    want_plan(before);
}

bool filter_stream::channel_active(int channel) const
{
    check_slot(channel);
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_slots[channel].active;
}

filter_stream::problem_type filter_stream::wanted_problem() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted;
}

void filter_stream::choose_again()
{
    auto options = d_options;
    options.at_once = false;
    d_stream.planning()->offer({ wanted_problem(), options, d_registry });
}

//! Asks for a plan for the wanted taps, if they are of another kind than \p before. The
//! caller holds d_wanted_mutex, so that the last request is for the last taps. The
//! request's copy of the problem shares the taps.
void filter_stream::want_plan(const taps_type& before)
{
    if (!::cldsp::same_kind(before, d_wanted.taps))
        d_stream.planning()->want(d_wanted, d_plan);
}

//! Keeps the plan of the bank that has taken over.
void filter_stream::note_renewal()
{
    d_noted_renewals = d_stream.renewals();
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_plan = engine().chosen();
}

filter_load filter_stream::load(const ::cldsp::run_statistics& statistics) const
{
    filter_load result;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        result.problem = d_wanted;
        result.problem.max_channels = 0;
        result.problem.center_freqs.clear();
        result.problem.rates.clear();
        result.different_rates = !d_one_decimation;
        const bool common = d_wanted.taps.size() < d_channels;
        if (!common)
            result.problem.taps.clear();
        for (std::size_t channel = 0; channel < d_connected; channel++) {
            if (!d_slots[channel].active)
                continue;
            result.problem.center_freqs.push_back(d_wanted.center_freqs[channel]);
            if (!d_one_decimation)
                result.problem.rates.push_back(d_rates[channel]);
            if (!common)
                result.problem.taps.push_back(d_wanted.taps[channel]);
        }
    }
    result.options = d_options;
    result.outputs = outputs_of_a_call(statistics);
    return result;
}

const filter_stream::changes& filter_stream::apply_changes()
{
    d_applied.any = d_changed;
    if (d_applied.any)
        apply_wanted();
    return d_applied;
}

void filter_stream::apply_wanted()
{
    std::vector<slot> slots; // as they are wanted, with their changes
    std::vector<double> center_freqs;
    taps_type taps;
    bool taps_changed = false;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        center_freqs = d_wanted.center_freqs;
        taps = d_wanted.taps;
        slots.reserve(d_channels);
        for (auto& slot : d_slots)
            slots.push_back({ slot.in_use,
                              slot.active,
                              slot.listed_freq,
                              std::exchange(slot.changes, {}) });
        taps_changed = std::exchange(d_taps_changed, false);
        d_changed = false;
    }
    bool any_replaced = false;
    d_applied.channels.resize(d_channels);
    for (std::size_t channel = 0; channel < d_channels; channel++) {
        const auto& changes = slots[channel].changes;
        d_applied.channels[channel] = { changes.set,
                                        changes.replaced && slots[channel].in_use };
        any_replaced = any_replaced || changes.replaced;
        if (changes.replaced && engine().has_channel(channel))
            bank().remove_channel(channel);
    }
    // The taps come first: a retune changes the phase by the group delay of the new taps.
    if (taps_changed)
        bank().set_taps(taps);
    for (std::size_t channel = 0; channel < d_channels; channel++) {
        const auto& changes = slots[channel].changes;
        const double hz = center_freqs[channel];
        if (d_applied.channels[channel].placed)
            bank().place_channel(channel, taps[taps.size() == 1 ? 0 : channel], hz);
        else if (changes.freq_set &&
                 (engine().has_schedule(channel) || hz != center_freq(channel)))
            bank().set_center_freq(channel, hz);
        if (changes.freq_set || changes.replaced)
            d_coming_points.erase(channel);
        if (engine().has_channel(channel))
            bank().set_channel_active(channel, slots[channel].active);
    }
    // Slots that became free get the wanted taps, whatever channels came and went since
    // the last call. The engine takes a new plan only if that was made for taps of the
    // same kinds as its own.
    if (any_replaced)
        bank().set_taps(taps);
    for (std::size_t channel = 0; channel < d_channels; channel++)
        for (const auto& points : slots[channel].changes.schedule)
            if (engine().has_channel(channel))
                start_schedule(channel, points);
}

void filter_stream::start_schedule(std::size_t channel,
                                   const std::vector<frequency_point>& points)
{
    bank().schedule(channel, points);
    auto& coming = d_coming_points[channel];
    if (points.empty())
        coming.clear();
    else
        replace_points(coming, points);
}

//! Finds the points that have taken effect in the call whose first item is \p begin, and
//! brings the wanted frequencies of channels that follow a schedule up to date.
void filter_stream::follow_schedules(std::uint64_t begin)
{
    d_taken_points.clear();
    if (d_coming_points.empty())
        return;
    for (auto& [channel, coming] : d_coming_points) {
        const auto& rate = d_rates[channel];
        const std::uint64_t next = rate.outputs(begin), end = rate.outputs(position());
        std::size_t taken = 0;
        for (; taken < coming.size(); taken++) {
            // The point takes effect with the first output whose newest item is not
            // before the point's item.
            const auto sample = static_cast<std::uint64_t>(coming[taken].sample);
            std::uint64_t output = std::max(next, rate.outputs(sample));
            while (rate.newest_item(output) < sample)
                output++;
            if (output >= end)
                break;
            const auto newest = static_cast<std::int64_t>(rate.newest_item(output));
            const double hz = engine().has_schedule(channel)
                                  ? engine().schedule_at(channel, newest).hz
                                  : center_freq(channel);
            // If several points take effect with one output, the last one counts.
            if (!d_taken_points.empty() && d_taken_points.back().channel == channel &&
                d_taken_points.back().output == output)
                d_taken_points.back().hz = hz;
            else
                d_taken_points.push_back({ channel, output, hz });
        }
        coming.erase(coming.begin(), coming.begin() + static_cast<std::ptrdiff_t>(taken));
    }
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    for (auto one = d_coming_points.begin(); one != d_coming_points.end();) {
        const std::size_t channel = one->first;
        const auto& slot = d_slots[channel];
        if (slot.in_use && !slot.changes.freq_set && !slot.changes.replaced)
            d_wanted.center_freqs[channel] = center_freq(channel);
        const bool goes_on =
            engine().has_channel(channel) && engine().has_schedule(channel);
        one = goes_on ? std::next(one) : d_coming_points.erase(one);
    }
}

double filter_stream::center_freq(std::size_t channel) const
{
    return engine().problem().center_freqs[channel];
}

void filter_stream::process(const void* in, std::size_t outputs, gr_complex* const* out)
{
    process_items(
        in, outputs * engine().problem().decimation, out, outputs, d_outputs.data());
}

filter_stream::passed_events filter_stream::process_items(const void* in,
                                                          std::size_t items,
                                                          gr_complex* const* out,
                                                          std::size_t room,
                                                          std::size_t* outputs)
{
    d_stream.process(
        static_cast<const unsigned char*>(in) + d_past_bytes, items, out, room, outputs);
    const bool renewed = d_stream.renewals() != d_noted_renewals;
    if (renewed)
        note_renewal();
    if (!d_coming_points.empty() || !d_taken_points.empty())
        follow_schedules(position() - items);
    return { renewed, !d_taken_points.empty() };
}

} // namespace cldsp
} // namespace gr
