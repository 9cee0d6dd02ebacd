// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The problem of a bank: its channels, slots and rates, and the checks of them.

#include <cldsp/filter_problem.h>

#include "filter/filter_problem_check.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

std::string indexed(const std::string& name, std::size_t index)
{
    return name + "[" + std::to_string(index) + "]";
}

} // namespace

void check_bank_taps(const std::vector<shared_taps>& taps,
                     std::size_t channels,
                     const std::vector<shared_taps>& known)
{
    if (taps.size() != 1 && taps.size() != channels)
        throw_invalid("taps",
                      taps.empty() ? "empty" : std::to_string(taps.size()) + " lists",
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

freq_xlating_filter_bank_problem bank_of_one(freq_xlating_fir_problem channel)
{
    channel.check();
    freq_xlating_filter_bank_problem bank;
    bank.input = channel.input;
    bank.decimation = channel.decimation;
    bank.taps = { std::move(channel.taps) };
    bank.center_freqs = { channel.center_freq };
    bank.sampling_freq = channel.sampling_freq;
    bank.phase = channel.phase;
    if (channel.interpolation != 1)
        bank.rates = { { channel.interpolation, channel.decimation } };
    return bank;
}

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

} // namespace cldsp
