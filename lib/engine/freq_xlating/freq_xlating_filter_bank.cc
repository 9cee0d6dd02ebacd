// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The public bank: phases, schedules, the executor, and the way to the host.

#include <cldsp/freq_xlating_filter_bank.h>

#include "base/thread_pool.h"
#include "filter/channel_spans.h"
#include "filter/filter_problem_check.h"
#include "freq_xlating/bank_selection.h"
#include "freq_xlating/cost_model.h"
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

} // namespace

struct freq_xlating_filter_bank::implementation {
    //! A rate that channels of a bank have, and where the stream is at this rate.
    struct rate_position {
        rate_ratio rate;
        channel_span span{};      // of a call; `first` is always that of the next one
        std::uint64_t newest = 0; // the newest item of the next output
        std::uint64_t moved = 0;  // by how much the last call has moved that item
    };

    //! A slot for a channel.
    struct channel_slot {
        explicit channel_slot(filter_channel its) : channel(std::move(its)) {}

        bool in_use = false, active = false;
        bool stale = false;   // whether the executor has yet to take the channel
        std::size_t rate = 0; // index of its rate_position
        phase64 phase;        // of the channel's next output
        filter_channel channel;
        // While the channel's frequency is a schedule; and that of a schedule that has
        // ended.
        std::unique_ptr<scheduled_channel> scheduled, ended;
    };

    freq_xlating_filter_bank_problem problem;
    freq_xlating_filter_bank_options options;
    std::vector<channel_slot> slots;
    std::vector<rate_position> positions; // of each different rate
    std::size_t unit = 1;                 // see unit_of_calls()
    std::size_t history = 0;              // of the channels in use
    std::uint64_t stream_items = 0;       // items that calls have consumed
    // What free_slots() passes on. It must not need memory: the slot has changed by then.
    std::vector<bool> in_use;
    // Whether a slot may be stale, or follow a schedule. Calls look at their slots for
    // that only if so.
    bool any_watched = false;
    std::size_t idle = 0;            // slots that are not active
    std::vector<channel_call> calls; // of the present call, one for each slot
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
          in_use(problem.channels()),
          calls(problem.channels()),
          rates(o.at_once ? known_rates(registry) : calibrated_rates(registry))
    {
        std::vector<rate_ratio> all;
        slots.reserve(problem.channels());
        for (auto& channel : make_channels(problem)) {
            all.push_back(channel.problem.rate());
            slots.emplace_back(std::move(channel));
        }
        unit = unit_of_calls(all);
        for (const auto& rate : different_rates(all))
            positions.push_back({ rate });
        for (std::size_t c = 0; c < slots.size(); c++) {
            slots[c].in_use = slots[c].active = c < p.channels();
            while (positions[slots[c].rate].rate != all[c])
                slots[c].rate++;
        }
        find_history();
        count_idle();
        reset();
        selected = select_filter({ problem, options, rates, &registry });
    }

    void find_history()
    {
        history = 0;
        for (const auto& slot : slots)
            if (slot.in_use)
                history = std::max(history, history_of(slot.channel, unit));
    }

    void count_idle()
    {
        idle = static_cast<std::size_t>(
            std::count_if(slots.begin(), slots.end(), [](const channel_slot& slot) {
                return !slot.active;
            }));
    }

    //! \throws std::invalid_argument if there is no such slot
    channel_slot& slot(std::size_t channel)
    {
        if (channel >= slots.size())
            throw_invalid("channel",
                          std::to_string(channel),
                          "0 to " + std::to_string(slots.size() - 1));
        return slots[channel];
    }
    //! \throws std::invalid_argument if the slot is free, or if there is no such slot
    channel_slot& slot_in_use(std::size_t channel)
    {
        auto& its = slot(channel);
        if (!its.in_use)
            throw_invalid("channel",
                          std::to_string(channel) + ", a free slot",
                          "one of the channels in use");
        return its;
    }
    double& center_freq(const channel_slot& slot)
    {
        return problem.center_freqs[index_of(slot)];
    }
    std::size_t index_of(const channel_slot& slot) const
    {
        return static_cast<std::size_t>(&slot - slots.data());
    }

    phase64 phase_change(const filter_channel& channel, double hertz) const
    {
        if (problem.phase == phase_reference::input)
            return {};
        return phase_correction(hertz, problem.sampling_freq, channel.items_of_output());
    }

    //! The phase of the channel's next output, if its taps and its frequency have not
    //! changed since the stream began.
    phase64 unchanged_phase(const channel_slot& slot) const
    {
        return phase_change(slot.channel, slot.channel.problem.center_freq) -
               slot.channel.step * positions[slot.rate].newest;
    }

    //! The newest item of the channel's next output, since the stream began.
    std::int64_t newest_item(const channel_slot& slot) const
    {
        return static_cast<std::int64_t>(positions[slot.rate].newest);
    }

    void go_to(std::uint64_t item)
    {
        stream_items = item;
        for (auto& its : positions) {
            const std::uint64_t before = its.newest;
            its.span.first = its.rate.outputs(item);
            its.newest = its.rate.newest_item(its.span.first);
            its.moved = its.newest - before;
        }
    }

    void reset()
    {
        go_to(0);
        for (auto& slot : slots) {
            if (slot.scheduled) {
                end_schedule(slot);
                configure(slot);
            }
            slot.phase = unchanged_phase(slot);
        }
    }

    // A channel that follows a schedule is idle for the executor. Its problem's frequency
    // and its phase are kept up to date, as if it could change to the executor at any
    // time.

    void follow(channel_slot& slot)
    {
        const std::int64_t newest = newest_item(slot);
        slot.phase = -slot.scheduled->schedule.phase_at(newest);
        center_freq(slot) = slot.scheduled->schedule.frequency_at(newest);
    }

    void start_schedule(channel_slot& slot, const std::vector<frequency_point>& points)
    {
        const std::int64_t newest = newest_item(slot);
        any_watched = true;
        if (slot.scheduled) {
            slot.scheduled->schedule.set_points(points, newest);
            follow(slot);
            return;
        }
        frequency_schedule schedule(
            problem.sampling_freq, center_freq(slot), newest, -slot.phase);
        schedule.set_points(points, newest);
        if (slot.ended) {
            slot.ended->restart(slot.channel, schedule);
            slot.scheduled = std::move(slot.ended);
        } else {
            slot.scheduled = std::make_unique<scheduled_channel>(
                slot.channel, schedule, options, rates);
        }
        follow(slot);
    }

    //! The executor computes the channel from now on, when it is configured.
    void end_schedule(channel_slot& slot)
    {
        slot.ended = std::move(slot.scheduled);
        slot.channel.set_center_freq(center_freq(slot));
    }

    //! Finds the items that a call consumes, so that no channel has more than \p room
    //! outputs, and the span of each rate.
    std::size_t find_spans(std::size_t in_items, std::uint64_t room)
    {
        const std::uint64_t items =
            in_items > history ? (in_items - history) / unit * unit : 0;
        for (auto& its : positions) {
            const std::uint64_t next = its.rate.outputs(stream_items + items);
            its.span.newest =
                history - static_cast<std::size_t>(stream_items - its.newest);
            its.span.outputs = static_cast<std::size_t>(next - its.span.first);
            if (its.span.outputs > room)
                return find_spans(history + items_until(its, room), room);
        }
        return static_cast<std::size_t>(items);
    }
    //! The new items after which channels of a rate have \p outputs outputs, but not yet
    //! one more.
    std::size_t items_until(const rate_position& its, std::uint64_t outputs) const
    {
        return static_cast<std::size_t>(its.rate.items(its.span.first + outputs + 1) - 1 -
                                        stream_items);
    }

    //! Computes the outputs of the next \p items items, whose spans were found.
    //! Afterwards `calls` tells how many outputs each channel has. A call shorter than
    //! the decimations often completes none.
    void process(const void* in, std::size_t items, std::complex<float>* const* out)
    {
        bool any = false;
        for (std::size_t c = 0; c < slots.size(); c++) {
            const auto& slot = slots[c];
            const auto& span = positions[slot.rate].span;
            calls[c] = { slot.active ? out[c] : nullptr, slot.phase, span };
            any = any || (calls[c].out && span.outputs > 0);
        }
        if (any)
            compute({ in, history, items, calls.data() });
        skip(items);
    }

    //! Moves the output pointers of channels that follow a schedule from `calls` to
    //! `due`. Returns whether the executor has outputs to compute.
    bool take_due()
    {
        due.clear();
        bool others = false;
        for (std::size_t c = 0; c < slots.size(); c++) {
            auto& slot = slots[c];
            if (slot.scheduled && slot.scheduled->is_constant_from(newest_item(slot))) {
                end_schedule(slot);
                configure(slot);
            }
            if (slot.scheduled && calls[c].out)
                due.push_back({ c, std::exchange(calls[c].out, nullptr) });
            others = others || calls[c].out;
        }
        return others;
    }

    void compute(const filter_call& call)
    {
        if (any_watched)
            return compute_watched(call);
        guarded([&] { selected.executor->run(call); });
    }

    //! Computes a call of a bank that has schedules, or has lacked memory.
    void compute_watched(const filter_call& call)
    {
        const bool runs = take_due();
        pass_stale();
        any_watched = std::any_of(slots.begin(), slots.end(), [](const auto& slot) {
            return slot.scheduled != nullptr;
        });
        if (runs)
            guarded([&] { selected.executor->run(call); });
        if (due.empty())
            return;
        const auto first = static_cast<std::int64_t>(stream_items) -
                           static_cast<std::int64_t>(call.history);
        const auto run = [&](std::size_t i, unsigned) {
            const std::size_t c = due[i].channel;
            slots[c].scheduled->run(call.in, first, calls[c].span, due[i].out);
        };
        if (due.size() == 1)
            return run(0, 0);
        if (!pool)
            pool = std::make_shared<thread_pool>(options.threads);
        pool->parallel_for(due.size(), run);
    }

    void skip(std::uint64_t items)
    {
        go_to(stream_items + items);
        for (auto& slot : slots)
            slot.phase += -slot.channel.step * positions[slot.rate].moved;
        if (any_watched)
            follow_schedules();
    }

    void follow_schedules()
    {
        const std::int64_t kept = static_cast<std::int64_t>(stream_items) -
                                  static_cast<std::int64_t>(history) - max_more_history;
        for (auto& slot : slots) {
            if (!slot.scheduled)
                continue;
            follow(slot);
            slot.scheduled->schedule.forget_before(kept);
        }
    }

    //! Also those of idle channels, whose points come and pass all the same.
    void forget_schedules_before(std::int64_t item)
    {
        if (!any_watched)
            return;
        for (const auto& slot : slots)
            if (slot.scheduled)
                slot.scheduled->schedule.forget_before(item);
    }

    //! Runs \p action; if a device fails, the host takes over, or the other devices if
    //! there are several.
    template <class F>
    void guarded(F&& action)
    {
        try {
            action();
        } catch (...) {
            lose_device(why_device_is_lost());
            action();
        }
        // If there are several devices, the others may have taken over.
        if (!selected.plan.shares.empty() &&
            selected.executor->take_new_plan(selected.plan))
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
    void configure(channel_slot& slot)
    {
        try {
            pass(slot);
        } catch (const std::bad_alloc&) {
            slot.stale = any_watched = true;
        }
    }
    void pass(const channel_slot& slot)
    {
        guarded([&] { selected.executor->configure(index_of(slot), slot.channel); });
    }
    void pass_stale()
    {
        for (auto& slot : slots) {
            if (slot.stale)
                pass(slot);
            slot.stale = false;
        }
    }

    //! Gives the free slots other taps, if theirs are out of use, and the channels the
    //! taps of the problem.
    void free_slots()
    {
        for (std::size_t c = 0; c < slots.size(); c++)
            in_use[c] = slots[c].in_use;
        problem.free_slots(in_use);
        take_taps();
    }

    //! Gives the channels and the free slots the taps of the problem.
    void take_taps()
    {
        for (auto& slot : slots) {
            const auto& taps = problem.taps_of(index_of(slot));
            if (slot.channel.problem.taps.is(taps))
                continue;
            const bool same = slot.channel.problem.taps == taps;
            slot.channel.set_taps(taps);
            if (same)
                continue;
            configure(slot);
            if (slot.scheduled)
                slot.scheduled->set_taps(taps);
        }
        find_history();
    }

    void retune(channel_slot& slot, double hertz)
    {
        if (slot.scheduled)
            end_schedule(slot);
        slot.phase += phase_change(slot.channel, hertz - center_freq(slot));
        center_freq(slot) = hertz;
        slot.channel.set_center_freq(hertz);
        configure(slot);
    }

    std::size_t place(std::size_t channel, const shared_taps& taps, double hertz)
    {
        auto& its = slot(channel);
        if (!taps.is(problem.taps_of(channel)))
            check_taps(taps);
        check_center_freq(hertz);
        filter_channel placed(
            channel_problem(problem, problem.rate(channel), taps, hertz));
        problem.set_channel(channel, taps, hertz);
        placed.set_taps(problem.taps_of(channel)); // which other channels may share
        its.channel = std::move(placed);
        its.scheduled.reset();
        its.ended.reset();
        its.in_use = its.active = true;
        count_idle();
        its.phase = unchanged_phase(its);
        configure(its);
        free_slots();
        return channel;
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
std::size_t freq_xlating_filter_bank::history() const { return d_impl->history; }

process_result freq_xlating_filter_bank::process(const void* in,
                                                 std::size_t in_items,
                                                 std::complex<float>* const* out,
                                                 std::size_t room)
{
    auto& s = *d_impl;
    if (!has_one_decimation())
        throw_invalid("rates", "different", "one decimation (process_items() takes all)");
    const std::size_t items = s.find_spans(in_items, room);
    if (items == 0)
        return {};
    s.process(in, items, out);
    return { items, items / s.unit };
}

std::size_t freq_xlating_filter_bank::process_items(const void* in,
                                                    std::size_t in_items,
                                                    std::complex<float>* const* out,
                                                    std::size_t room,
                                                    std::size_t* outputs)
{
    auto& s = *d_impl;
    const std::size_t items = s.find_spans(in_items, room);
    if (items == 0) {
        std::fill_n(outputs, channels(), 0);
        return 0;
    }
    s.process(in, items, out);
    for (const auto& call : s.calls)
        *outputs++ = call.span.outputs;
    return items;
}

rate_ratio freq_xlating_filter_bank::rate(std::size_t channel) const
{
    return d_impl->slot(channel).channel.problem.rate();
}

bool freq_xlating_filter_bank::has_one_decimation() const
{
    return d_impl->problem.has_one_decimation();
}

std::size_t freq_xlating_filter_bank::items_to_next_output() const
{
    const auto& s = *d_impl;
    std::uint64_t items = std::numeric_limits<std::uint64_t>::max();
    for (const auto& slot : s.slots) {
        if (!slot.active)
            continue;
        const auto& its = s.positions[slot.rate];
        items = std::min(items, its.rate.items(its.span.first + 1) - s.stream_items);
    }
    return items == std::numeric_limits<std::uint64_t>::max() ? s.unit : items;
}

void freq_xlating_filter_bank::set_center_freq(std::size_t channel, double center_freq)
{
    auto& slot = d_impl->slot_in_use(channel);
    check_center_freq(center_freq);
    d_impl->retune(slot, center_freq);
}

void freq_xlating_filter_bank::set_center_freqs(const std::vector<double>& center_freqs)
{
    if (center_freqs.size() != channels())
        throw_invalid("center_freqs",
                      std::to_string(center_freqs.size()) + " of them",
                      std::to_string(channels()) + ", one per channel");
    check_bank_freqs(center_freqs);
    for (auto& slot : d_impl->slots) {
        const double center_freq = center_freqs[d_impl->index_of(slot)];
        if (slot.in_use && center_freq != d_impl->center_freq(slot))
            d_impl->retune(slot, center_freq);
    }
}

void freq_xlating_filter_bank::schedule(std::size_t channel,
                                        const std::vector<frequency_point>& points)
{
    d_impl->start_schedule(d_impl->slot_in_use(channel), points);
}

bool freq_xlating_filter_bank::has_schedule(std::size_t channel) const
{
    return d_impl->slot(channel).scheduled != nullptr;
}

freq_xlating_filter_bank::scheduled_item
freq_xlating_filter_bank::schedule_at(std::size_t channel, std::int64_t item) const
{
    const auto& scheduled = d_impl->slot(channel).scheduled;
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
    const auto& scheduled = d_impl->slot(channel).scheduled;
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
    d_impl->slot_in_use(channel).active = active;
    d_impl->count_idle();
}

bool freq_xlating_filter_bank::has_idle_channels() const { return d_impl->idle > 0; }

bool freq_xlating_filter_bank::channel_active(std::size_t channel) const
{
    return d_impl->slot(channel).active;
}

bool freq_xlating_filter_bank::has_channel(std::size_t channel) const
{
    return d_impl->slot(channel).in_use;
}

std::size_t freq_xlating_filter_bank::add_channel(const shared_taps& taps,
                                                  double center_freq,
                                                  std::optional<rate_ratio> rate)
{
    bool any_free = false;
    for (const auto& slot : d_impl->slots) {
        if (slot.in_use)
            continue;
        if (!rate || slot.channel.problem.rate() == *rate)
            return d_impl->place(d_impl->index_of(slot), taps, center_freq);
        any_free = true;
    }
    if (any_free)
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
    d_impl->place(channel, taps, center_freq);
}

void freq_xlating_filter_bank::remove_channel(std::size_t channel)
{
    auto& slot = d_impl->slot_in_use(channel);
    slot.in_use = slot.active = false;
    slot.scheduled.reset();
    slot.ended.reset();
    d_impl->count_idle();
    d_impl->free_slots();
}

void freq_xlating_filter_bank::take_engine(freq_xlating_filter_bank&& fresh)
{
    // Free slots are configured only where the fresh engine holds other, perhaps longer,
    // taps for them.
    auto& slots = d_impl->slots;
    std::vector<bool> differs;
    for (const auto& slot : slots) {
        const auto& its = fresh.d_impl->slots[d_impl->index_of(slot)];
        differs.push_back(!its.channel.problem.taps.is(slot.channel.problem.taps));
    }
    take_selection(d_impl->selected, std::move(fresh.d_impl->selected));
    // They were measured, if ours were not.
    d_impl->rates = std::move(fresh.d_impl->rates);
    for (auto& slot : slots)
        if (slot.in_use || differs[d_impl->index_of(slot)])
            d_impl->configure(slot);
}

void freq_xlating_filter_bank::reset() { d_impl->reset(); }

void freq_xlating_filter_bank::skip(std::uint64_t outputs)
{
    d_impl->skip(outputs * d_impl->unit);
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
    return d_impl->slots.at(channel).phase;
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
