/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "library/stream_bank.h"

#include <cldsp/errors.h>
#include <cldsp/stream_filling.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace cldsp {

namespace {

// The item of cu8 that is nearest to silence, about which the bytes lie.
constexpr unsigned char middle_byte = 0x80;

// A call that is up to this many times as long as the past is copied behind the past. Of
// a longer call only the beginning is copied, and the rest is filtered where it lies, as
// a call of its own.
constexpr std::size_t copied_pasts = 4;

std::size_t longest_taps(const freq_xlating_filter_bank_problem& problem,
                         std::size_t max_taps)
{
    std::size_t longest = 1;
    for (const auto& taps : problem.taps)
        longest = std::max(longest, taps.size());
    if (max_taps && (max_taps < longest || max_taps > stream_bank::max_possible_taps))
        throw_invalid("max_taps",
                      std::to_string(max_taps),
                      "0, or " + std::to_string(longest) + " (the longest taps) to " +
                          std::to_string(stream_bank::max_possible_taps));
    if (longest > stream_bank::max_possible_taps)
        throw_invalid("taps",
                      std::to_string(longest) + " taps",
                      "at most " + std::to_string(stream_bank::max_possible_taps));
    return max_taps ? max_taps : longest;
}

} // namespace

stream_bank::stream_bank(const freq_xlating_filter_bank_problem& problem,
                         std::size_t max_taps,
                         const freq_xlating_filter_bank_options& options,
                         context_registry& registry)
    : d_type(problem.input),
      d_item_size(sample_size(problem.input)),
      d_max_taps(longest_taps(problem, max_taps)),
      d_bank(problem, options, registry),
      d_kept(0),
      d_longest_period(1),
      d_outputs(d_bank.channels()),
      d_phases(d_bank.channels())
{
    for (std::size_t c = 0; c < d_bank.channels(); c++) {
        const rate_ratio rate = d_bank.rate(c);
        // With different rates, an output may come up to a period after its newest item.
        d_kept = std::max(d_kept, d_max_taps + rate.further_taps() + rate.decimation);
        d_longest_period = std::max(d_longest_period, rate.decimation);
    }
    reset();
}

void stream_bank::reset()
{
    d_bank.reset();
    const std::size_t bytes = d_kept * d_item_size;
    d_past.resize(std::max(d_past.size(), bytes));
    std::fill_n(d_past.begin(), bytes, d_type == sample_type::cu8 ? middle_byte : 0);
    d_begin = 0;
    d_waiting = 0;
    d_position = 0;
}

std::size_t stream_bank::max_outputs(std::size_t items) const
{
    if (items > max_items)
        throw_invalid(
            "items", std::to_string(items), "0 to " + std::to_string(max_items));
    std::uint64_t most = 0;
    for (std::size_t c = 0; c < d_bank.channels(); c++)
        most = std::max(most, d_bank.rate(c).outputs(items) + 1);
    return static_cast<std::size_t>(most);
}

/*!
 * Copies new items behind the past, and returns where the waiting and new ones begin. The
 * past is moved only after at least as many items have come as are moved, so that short
 * calls do not pay for long taps and large decimations.
 */
const unsigned char* stream_bank::append(const unsigned char* items, std::size_t count)
{
    const std::size_t held = (d_kept + d_waiting) * d_item_size;
    const std::size_t bytes = count * d_item_size;
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

//! Filters what lies behind d_kept items; returns the number of consumed items.
std::size_t stream_bank::filter(const void* in, std::size_t items, std::size_t room)
{
    // Zero bytes are silence in every type but cu8. There the contribution of the bytes
    // that filled the past is subtracted from the first outputs.
    const bool starting = d_type == sample_type::cu8 && d_position < d_kept;
    for (std::size_t c = 0; starting && c < d_bank.channels(); c++)
        d_phases[c] = d_bank.phase(c);
    const std::size_t history = d_bank.history();
    const auto* begin = static_cast<const unsigned char*>(in) - history * d_item_size;
    const std::size_t consumed = d_bank.process_items(
        begin, history + items, d_out.data(), room, d_outputs.data());
    for (std::size_t c = 0; c < d_out.size(); c++)
        if (d_out[c] && !d_bank.channel_active(c))
            std::fill_n(d_out[c], d_outputs[c], 0);
    const std::uint64_t position = d_position;
    d_position += consumed;
    const unsigned char filling[] = { middle_byte, middle_byte };
    for (std::size_t c = 0; starting && c < d_bank.channels(); c++)
        if (d_out[c] && d_bank.channel_active(c))
            subtract_filling({ sample_at(filling, d_type, 0), position, position },
                             d_bank.problem().channel(c),
                             d_bank.rate(c),
                             d_phases[c],
                             d_out[c],
                             d_outputs[c]);
    return consumed;
}

//! Gives back the items that were consumed since \p position.
void stream_bank::go_back(std::uint64_t position)
{
    // The bank counts items and turns its phases modulo 2^64, so that it can skip back.
    const std::uint64_t items = d_position - position;
    const bool one_decimation = d_bank.has_one_decimation();
    d_bank.skip(0 - (one_decimation ? items / d_bank.rate(0).decimation : items));
    d_position = position;
}

void stream_bank::process(const void* in,
                          std::size_t items,
                          std::complex<float>* const* out,
                          std::size_t room,
                          std::size_t* outputs)
{
    const std::size_t most = max_outputs(items);
    if (room < most)
        throw_invalid("room",
                      std::to_string(room),
                      "at least " + std::to_string(most) + " for " +
                          std::to_string(items) + " items");
    const std::uint64_t position = d_position;
    try {
        process_parts(in, items, out, room, outputs);
    } catch (...) {
        // The caller may try again with the same items.
        go_back(position);
        throw;
    }
}

void stream_bank::process_parts(const void* in,
                                std::size_t items,
                                std::complex<float>* const* out,
                                std::size_t room,
                                std::size_t* outputs)
{
    const auto* begin = static_cast<const unsigned char*>(in);
    const std::size_t past = d_kept + d_longest_period;
    const std::size_t copied = items <= copied_pasts * past ? items : past;
    const auto* joined = append(begin, copied);

    d_out.assign(out, out + d_bank.channels());
    std::size_t waiting = d_waiting + copied;
    const std::size_t consumed = filter(joined, waiting, room);
    waiting -= consumed;
    std::copy(d_outputs.begin(), d_outputs.end(), outputs);

    if (copied < items) {
        for (std::size_t c = 0; c < d_out.size(); c++)
            if (d_out[c])
                d_out[c] += d_outputs[c];
        const unsigned char* next = begin + (copied - waiting) * d_item_size;
        waiting += items - copied;
        waiting -= filter(next, waiting, room);
        for (std::size_t c = 0; c < d_outputs.size(); c++)
            outputs[c] += d_outputs[c];
        // There is room, because as many items and the copied ones were there before.
        const std::size_t held = (d_kept + waiting) * d_item_size;
        std::copy_n(begin + items * d_item_size - held, held, d_past.data());
        d_begin = 0;
    } else {
        d_begin += consumed * d_item_size;
    }
    d_waiting = waiting;
}

void stream_bank::check_taps(const shared_taps& taps, const std::string& name) const
{
    if (taps.size() > d_max_taps)
        throw_invalid(name,
                      std::to_string(taps.size()) + " taps",
                      "at most " + std::to_string(d_max_taps) + " taps (max_taps)");
}

void stream_bank::set_center_freq(std::size_t channel, double center_freq)
{
    d_bank.set_center_freq(channel, center_freq);
}

void stream_bank::set_taps(const std::vector<shared_taps>& taps)
{
    for (std::size_t i = 0; i < taps.size(); i++)
        check_taps(taps[i], "taps[" + std::to_string(i) + "]");
    d_bank.set_taps(taps);
}

void stream_bank::set_active(std::size_t channel, bool active)
{
    d_bank.set_channel_active(channel, active);
}

std::size_t stream_bank::add_channel(const shared_taps& taps,
                                     double center_freq,
                                     const std::optional<rate_ratio>& rate)
{
    check_taps(taps, "taps");
    return d_bank.add_channel(taps, center_freq, rate);
}

void stream_bank::remove_channel(std::size_t channel) { d_bank.remove_channel(channel); }

} // namespace cldsp
