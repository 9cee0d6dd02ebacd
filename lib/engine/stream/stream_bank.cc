// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A stream's past: where a call reads it, and what its filling adds to the outputs.

#include <cldsp/stream_bank.h>

#include "stream/stream_filling.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace cldsp {

namespace {

// A call that is up to this many times as long as the past is copied behind the past. Of
// a longer call only the beginning is copied, and the rest is filtered where it lies, as
// a call of its own.
constexpr std::size_t copied_pasts = 4;

std::complex<double> value_of_bytes(unsigned char byte, sample_type type)
{
    unsigned char item[16];
    std::memset(item, byte, sizeof item);
    return sample_at(item, type, 0);
}

std::vector<rate_ratio> rates_of(const freq_xlating_filter_bank& bank)
{
    std::vector<rate_ratio> rates;
    for (std::size_t c = 0; c < bank.channels(); c++)
        rates.push_back(bank.rate(c));
    return different_rates(rates);
}

} // namespace

stream_bank::stream_bank(const problem_type& problem,
                         const freq_xlating_filter_bank_options& options,
                         std::shared_ptr<context_registry> registry,
                         const past_of_calls& past)
    : stream_bank(freq_xlating_filter_bank(problem, options, *registry),
                  problem.input,
                  past,
                  std::make_unique<replanner>(options, registry),
                  options.longer_items)
{
    d_plan_waits = &d_replanner->waits();
    d_is_provisional = d_bank.chosen().provisional;
    if (d_is_provisional)
        d_replanner->want(d_bank.problem(), d_bank.chosen());
}

stream_bank::stream_bank(freq_xlating_filter_bank&& bank,
                         sample_type input,
                         const past_of_calls& past)
    : stream_bank(std::move(bank), input, past, nullptr, 0)
{
}

stream_bank::stream_bank(freq_xlating_filter_bank&& bank,
                         sample_type input,
                         const past_of_calls& past,
                         std::unique_ptr<replanner> replanner,
                         std::size_t longer_items)
    : d_item_size(sample_size(input)),
      d_wanted(past),
      d_bank(std::move(bank)),
      d_replanner(std::move(replanner)),
      d_longer_items(longer_items),
      d_rates(rates_of(d_bank)),
      d_one_decimation(d_bank.has_one_decimation()),
      d_filling_byte(past.in_front ? 0 : silent_byte(input)),
      d_filling(value_of_bytes(d_filling_byte, input)),
      d_outputs(d_bank.channels()),
      d_phases(d_bank.channels())
{
    for (const auto& rate : d_rates) {
        d_longest_period = std::max(d_longest_period, rate.decimation);
        // With different rates, an output may come up to a period after its newest item.
        if (past.max_taps)
            d_reserve = std::max(d_reserve,
                                 past.max_taps + rate.further_taps() + rate.decimation);
    }
    if (d_one_decimation)
        d_max_waiting = d_longest_period - 1;
    begin_past();
}

std::size_t stream_bank::longest_taps(const std::vector<shared_taps>& taps)
{
    std::size_t most = 1;
    for (const auto& list : taps)
        most = std::max(most, list.size());
    return most;
}

void stream_bank::reset()
{
    d_bank.reset();
    d_position = 0;
    d_waiting = 0;
    d_oldest = 0;
    begin_past();
}

std::size_t stream_bank::kept_items() const
{
    return std::max(d_wanted.in_front, d_kept);
}

std::size_t stream_bank::max_outputs(std::size_t channel, std::size_t items) const
{
    return static_cast<std::size_t>(d_bank.rate(channel).outputs(items)) + 1;
}

std::size_t stream_bank::max_outputs(std::size_t items) const
{
    std::uint64_t most = 0;
    for (const auto& rate : d_rates)
        most = std::max(most, rate.outputs(items) + 1);
    return static_cast<std::size_t>(most);
}

std::size_t stream_bank::items_of_call(std::size_t items, std::size_t room) const
{
    const std::uint64_t come = d_position + d_waiting;
    for (const auto& rate : d_rates) {
        const std::uint64_t first = rate.outputs(d_position);
        if (rate.outputs(come + items) - first > room)
            items = rate.items(first + room + 1) - 1 - come;
    }
    return items;
}

std::size_t stream_bank::room_in_front() const
{
    return std::max(needed(), d_kept) + d_max_waiting;
}

//! The items before the waiting ones that the past has to have, at least one.
std::size_t stream_bank::needed() const
{
    return std::max({ std::size_t(1), d_bank.history(), d_reserve });
}

/***********************************************************************
 * The own copy of the past
 **********************************************************************/

//! Before a stream there is silence. The copy of a stream whose calls bring the past
//! begins when the taps reach further back.
void stream_bank::begin_past()
{
    d_begin = 0;
    d_kept = d_wanted.in_front ? 0 : needed();
    d_past.resize(std::max(d_past.size(), held_bytes()));
    std::fill_n(d_past.begin(), held_bytes(), d_filling_byte);
}

/*!
 * Makes the past as long as the taps of now need it. The items that are gone are taken
 * for silence, or for filling at the beginning of the stream.
 *
 * \param end the end of the items that are there, the waiting ones among them
 * \param there their number, not less than those that wait
 */
void stream_bank::lengthen_past(const unsigned char* end, std::size_t there)
{
    const std::size_t kept = needed();
    there = std::min(there, kept + d_waiting);
    std::vector<unsigned char> longer((kept + d_waiting) * d_item_size, d_filling_byte);
    const std::size_t bytes = there * d_item_size;
    std::copy(end - bytes, end, longer.end() - static_cast<std::ptrdiff_t>(bytes));
    d_past.swap(longer);
    d_begin = 0;
    d_kept = kept;
    const auto oldest = static_cast<std::int64_t>(d_position + d_waiting) -
                        static_cast<std::int64_t>(there);
    d_oldest = std::max(d_oldest, oldest);
}

/*!
 * Copies new items behind the past, and returns where the waiting and new ones begin. The
 * past is moved only after at least as many items have come as are moved, so that short
 * calls do not pay for long taps and large decimations.
 */
const unsigned char* stream_bank::append(const unsigned char* items, std::size_t count)
{
    const std::size_t held = held_bytes(), bytes = count * d_item_size;
    if (d_past.size() - d_begin < held + bytes) {
        // As much as the past ever needs, so that longer calls alone make it larger.
        const std::size_t most =
            std::max(held, (d_kept + d_longest_period) * d_item_size);
        const std::size_t wanted = most + std::max(most, bytes);
        const auto* from = d_past.data() + d_begin;
        if (d_past.size() < wanted) {
            std::vector<unsigned char> larger(wanted);
            std::copy_n(from, held, larger.data());
            d_past.swap(larger);
        } else {
            std::memmove(d_past.data(), from, held);
        }
        d_begin = 0;
    }
    std::copy_n(items, bytes, d_past.data() + d_begin + held);
    return d_past.data() + d_begin + d_kept * d_item_size;
}

//! Frees the copy, which calls that bring the past do not need.
void stream_bank::drop_past()
{
    d_kept = 0;
    std::vector<unsigned char>().swap(d_past);
}

//! Copies the past from the end of a call's items, of which the last ones wait.
void stream_bank::keep_last(const unsigned char* end, std::size_t waiting)
{
    const std::size_t held = (d_kept + waiting) * d_item_size;
    d_past.resize(std::max(d_past.size(), held));
    std::copy_n(end - held, held, d_past.data());
    d_begin = 0;
    d_waiting = waiting;
}

/***********************************************************************
 * Calls
 **********************************************************************/

//! Runs a call. After an exception the stream is where it was, so that the caller may try
//! again with the same items.
template <class ACTION>
void stream_bank::guarded(std::size_t items, std::size_t room, ACTION&& action)
{
    if (items > items_of_call(items, room))
        throw std::logic_error("there is too little room for the outputs of a call");
    const std::uint64_t position = d_position;
    const std::size_t waiting = d_waiting;
    try {
        action();
    } catch (...) {
        go_back(position);
        d_waiting = waiting;
        throw;
    }
    // The caller may ask for frequencies of this call, and later taps reach no further
    // back.
    d_bank.forget_schedules_before(static_cast<std::int64_t>(position) -
                                   static_cast<std::int64_t>(kept_items()));
}

//! Gives back the items that were consumed since \p position.
void stream_bank::go_back(std::uint64_t position)
{
    // The bank counts items and turns its phases modulo 2^64, so that it can skip back.
    const std::uint64_t items = d_position - position;
    d_bank.skip(0 - (d_one_decimation ? items / d_longest_period : items));
    d_position = position;
}

//! Runs a call whose rate tells a planner what the bank achieves, if it is not much
//! shorter than those that the plan was made for.
template <class PROCESS>
std::size_t stream_bank::timed(const PROCESS& process)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const std::size_t items = process();
    const std::chrono::duration<double> took = clock::now() - start;
    if (items >= d_bank.chosen().call_items / 2)
        d_replanner->note_call(items, took.count());
    return items;
}

//! Filters items in whose memory the history lies before them. Returns the number of
//! consumed ones.
std::size_t
stream_bank::filter(const void* in, std::size_t items, const outputs_of_call& to)
{
    const std::size_t history = d_bank.history();
    // Filling that is not silence adds to the first outputs, from which it is subtracted.
    const std::uint64_t known = d_position - static_cast<std::uint64_t>(d_oldest);
    const bool filled = d_filling != 0.0 && known < history;
    for (std::size_t c = 0; filled && c < d_phases.size(); c++)
        d_phases[c] = d_bank.phase(c);
    const auto process = [&] {
        return d_bank.process_items(static_cast<const unsigned char*>(in) -
                                        history * d_item_size,
                                    history + items,
                                    to.out,
                                    to.room,
                                    to.counts);
    };
    const std::size_t consumed = d_is_provisional ? timed(process) : process();
    const std::uint64_t begin = std::exchange(d_position, d_position + consumed);
    if (items - consumed > d_max_waiting)
        throw std::logic_error("the bank has left items of a call");
    if (filled || d_bank.has_idle_channels())
        correct_outputs(to, { d_filling, filled ? known : history, begin });
    return consumed;
}

//! Makes the outputs of idle channels zeros, and subtracts from the others what filling
//! has added to them.
void stream_bank::correct_outputs(const outputs_of_call& to,
                                  const stream_filling& filling) const
{
    for (std::size_t c = 0; c < d_phases.size(); c++) {
        if (!to.out[c])
            continue;
        if (!d_bank.channel_active(c))
            std::fill_n(to.out[c], to.counts[c], 0);
        else if (filling.known < d_bank.history())
            subtract_filling(filling, d_bank, c, d_phases[c], to.out[c], to.counts[c]);
    }
}

//! Finds out whether a stream begins here, or goes on after a pause.
void stream_bank::look_in_front(const unsigned char* in)
{
    const auto* begin = in - d_wanted.in_front * d_item_size;
    const bool runs = d_filling != 0.0 &&
                      std::any_of(begin, in, [](unsigned char byte) { return byte; });
    d_oldest = runs ? -static_cast<std::int64_t>(d_wanted.in_front) : 0;
}

void stream_bank::set_stream_memory(memory_region in, memory_region out)
{
    d_in_memory = in;
    d_out_memory = out;
    d_bank.set_stream_memory(in, out);
}

//! Changes over to a bank that was made in the background, if it suits this one.
void stream_bank::take_plan()
{
    d_replanner->take(d_bank, [this](freq_xlating_filter_bank&& fresh) {
        d_bank.take_engine(std::move(fresh));
        d_bank.set_stream_memory(d_in_memory, d_out_memory);
        d_is_provisional = d_bank.chosen().provisional;
        d_renewals++;
    });
}

//! The items of the calls that the bank gets, where the caller brings longer ones for a
//! device that has not been chosen; 0: it gets the calls as they are.
std::size_t stream_bank::piece() const
{
    const std::size_t planned = d_bank.chosen().call_items;
    return planned < d_longer_items ? planned : 0;
}

void stream_bank::process(const void* in,
                          std::size_t items,
                          std::complex<float>* const* out,
                          std::size_t room,
                          std::size_t* outputs)
{
    if (d_plan_waits && *d_plan_waits)
        take_plan();
    const auto* begin = static_cast<const unsigned char*>(in);
    guarded(items, room, [&] {
        const std::size_t planned = piece();
        if (planned == 0 || items < 2 * planned)
            return process_part(begin, items, { out, room, outputs });
        const std::size_t slots = d_bank.channels();
        d_piece_out.assign(out, out + slots);
        d_piece_outputs.resize(slots);
        std::fill_n(outputs, slots, 0);
        while (items > 0) {
            const std::size_t now = items < 2 * planned ? items : planned;
            process_part(
                begin, now, { d_piece_out.data(), room, d_piece_outputs.data() });
            for (std::size_t c = 0; c < slots; c++) {
                outputs[c] += d_piece_outputs[c];
                if (d_piece_out[c])
                    d_piece_out[c] += d_piece_outputs[c];
            }
            begin += now * d_item_size;
            items -= now;
        }
    });
}

void stream_bank::process_part(const unsigned char* in,
                               std::size_t items,
                               const outputs_of_call& to)
{
    if (d_wanted.in_front && d_position + d_waiting == 0)
        look_in_front(in);
    if (d_bank.history() + d_waiting <= d_wanted.in_front)
        filter_in_front(in, items, to);
    else
        filter_copied(in, items, to);
}

void stream_bank::filter_in_front(const unsigned char* in,
                                  std::size_t items,
                                  const outputs_of_call& to)
{
    if (!d_past.empty())
        drop_past();
    const std::size_t all = d_waiting + items;
    d_waiting = all - filter(in - d_waiting * d_item_size, all, to);
    // The next call may not reach those that wait.
    if (d_bank.history() + d_waiting > d_wanted.in_front)
        lengthen_past(in + items * d_item_size, d_wanted.in_front + items);
}

void stream_bank::filter_copied(const unsigned char* in,
                                std::size_t items,
                                const outputs_of_call& to)
{
    if (d_kept == 0)
        lengthen_past(in, d_wanted.in_front);
    else if (d_kept < needed())
        lengthen_past(d_past.data() + d_begin + held_bytes(), d_kept + d_waiting);

    const std::size_t past = d_kept + d_longest_period;
    const std::size_t copied = items <= copied_pasts * past ? items : past;
    const auto* joined = append(in, copied);
    std::size_t waiting = d_waiting + copied;
    const std::size_t consumed = filter(joined, waiting, to);
    waiting -= consumed;
    if (copied == items) {
        d_begin += consumed * d_item_size;
        d_waiting = waiting;
        return;
    }
    d_out.assign(to.out, to.out + d_outputs.size());
    for (std::size_t c = 0; c < d_out.size(); c++)
        if (d_out[c])
            d_out[c] += to.counts[c];
    const auto* next = in + (copied - waiting) * d_item_size;
    waiting += items - copied;
    waiting -= filter(next, waiting, { d_out.data(), to.room, d_outputs.data() });
    for (std::size_t c = 0; c < d_outputs.size(); c++)
        to.counts[c] += d_outputs[c];
    keep_last(in + items * d_item_size, waiting);
}

void stream_bank::process_after_room(void* in,
                                     std::size_t items,
                                     std::complex<float>* const* out,
                                     std::size_t room,
                                     std::size_t* outputs)
{
    if (d_plan_waits && *d_plan_waits)
        take_plan();
    auto* begin = static_cast<unsigned char*>(in);
    guarded(items, room, [&] {
        if (d_kept < needed())
            lengthen_past(d_past.data() + d_begin + held_bytes(), d_kept + d_waiting);
        std::copy_n(d_past.data() + d_begin, held_bytes(), begin - held_bytes());
        const std::size_t all = d_waiting + items;
        const std::size_t consumed =
            filter(begin - d_waiting * d_item_size, all, { out, room, outputs });
        keep_last(begin + items * d_item_size, all - consumed);
    });
}

} // namespace cldsp
