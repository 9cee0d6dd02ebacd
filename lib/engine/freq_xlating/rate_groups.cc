// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Executors that compute the groups of channels, and put their outputs in order.

#include "freq_xlating/rate_groups.h"

#include "filter/channel_spans.h"

#include <cldsp/interpolated_taps.h>

#include <algorithm>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>

namespace cldsp {

namespace {

//! An executor that consists of others, each of which computes some of the channels.
class joint_executor : public filter_executor
{
public:
    explicit joint_executor(std::vector<std::unique_ptr<filter_executor>> executors)
        : d_executors(std::move(executors))
    {
    }

    void set_stream_memory(memory_region in, memory_region) override
    {
        for (auto& executor : d_executors)
            executor->set_stream_memory(in, {});
    }
    std::string device_name() const override
    {
        return of_all([](const auto& e) { return e.device_name(); });
    }
    std::string variant_name() const override
    {
        return of_all([](const auto& e) { return e.variant_name(); });
    }
    std::string transfer_name() const override
    {
        return of_all([](const auto& e) { return e.transfer_name(); });
    }
    run_statistics statistics() const override;
    void clear_statistics() override
    {
        for (auto& executor : d_executors)
            executor->clear_statistics();
    }
    bool device_is_lost() const override
    {
        return std::any_of(
            d_executors.begin(), d_executors.end(), [](const auto& executor) {
                return executor->device_is_lost();
            });
    }

protected:
    filter_executor& executor(std::size_t index) { return *d_executors[index]; }

private:
    //! The different names of all executors, with commas between them.
    template <class F>
    std::string of_all(const F& name) const
    {
        std::string all;
        for (const auto& executor : d_executors)
            add_name(name(*executor), all);
        return all;
    }

    std::vector<std::unique_ptr<filter_executor>> d_executors;
};

run_statistics joint_executor::statistics() const
{
    run_statistics all;
    for (const auto& executor : d_executors) {
        const auto one = executor->statistics();
        all.calls = std::max(all.calls, one.calls);
        all.outputs = std::max(all.outputs, one.outputs);
        all.kernel_time += one.kernel_time;
        all.transfer_time += one.transfer_time;
    }
    return all;
}

class grouped_executor final : public joint_executor
{
public:
    grouped_executor(const std::vector<rate_group>& groups,
                     std::vector<std::unique_ptr<filter_executor>> executors,
                     const std::vector<filter_channel>& channels);

    void configure(std::size_t channel, const filter_channel& setup) override;
    void run(const filter_call& call) override;

private:
    struct member {
        rate_group group;
        std::vector<channel_call> calls; // one for each channel of the group
    };

    void run_member(std::size_t index, const filter_call& call);

    std::vector<member> d_members;              // one for each executor
    std::vector<phase64> d_steps;               // of each channel, per item
    std::vector<std::size_t> d_items;           // items that an output of a channel needs
    std::vector<std::complex<float>> d_strided; // outputs of one phase
    std::size_t d_item_size;
};

grouped_executor::grouped_executor(
    const std::vector<rate_group>& groups,
    std::vector<std::unique_ptr<filter_executor>> executors,
    const std::vector<filter_channel>& channels)
    : joint_executor(std::move(executors)),
      d_item_size(sample_size(channels.front().problem.input))
{
    for (const auto& group : groups)
        d_members.push_back({ group, std::vector<channel_call>(group.channels.size()) });
    for (const auto& channel : channels) {
        d_steps.push_back(channel.step);
        d_items.push_back(channel.items_of_output());
    }
}

void grouped_executor::configure(std::size_t channel, const filter_channel& setup)
{
    d_steps[channel] = setup.step;
    d_items[channel] = setup.items_of_output();
    for (std::size_t i = 0; i < d_members.size(); i++) {
        const auto& member = d_members[i];
        const auto& channels = member.group.channels;
        const auto place = std::find(channels.begin(), channels.end(), channel);
        if (place == channels.end())
            continue;
        filter_channel one = setup;
        if (!member.group.rate.is_integer())
            one.set_taps(interpolated_taps(
                setup.problem.taps, member.group.rate, member.group.phase));
        executor(i).configure(static_cast<std::size_t>(place - channels.begin()), one);
    }
}

void grouped_executor::run(const filter_call& call)
{
    for (std::size_t i = 0; i < d_members.size(); i++)
        run_member(i, call);
}

void grouped_executor::run_member(std::size_t index, const filter_call& call)
{
    member& part = d_members[index];
    const rate_ratio& rate = part.group.rate;
    const auto& channels = part.group.channels;
    // All channels of a rate have the same span. The group has each P-th output of it.
    const channel_span& span = call.channels[channels.front()].span;
    const std::size_t before = span.first % rate.interpolation;
    const std::size_t skipped =
        (part.group.phase + rate.interpolation - before) % rate.interpolation;
    if (span.outputs <= skipped)
        return;
    const std::size_t outputs = (span.outputs - skipped - 1) / rate.interpolation + 1;
    const std::size_t later =
        rate.newest_item(before + skipped) - rate.newest_item(before);
    const channel_span its{ span.newest + later,
                            outputs,
                            (span.first + skipped) / rate.interpolation };

    std::size_t active = 0, items = 1;
    for (std::size_t i = 0; i < channels.size(); i++) {
        const auto& whole = call.channels[channels[i]];
        part.calls[i] = { whole.out, whole.phase - d_steps[channels[i]] * later, its };
        items = std::max(items, d_items[channels[i]]);
        active += whole.out ? 1 : 0;
    }
    if (active == 0)
        return;
    const bool strided = rate.interpolation > 1;
    if (strided) {
        d_strided.resize(active * outputs);
        std::size_t place = 0;
        for (auto& channel : part.calls)
            if (channel.out)
                channel.out = d_strided.data() + outputs * place++;
    }
    executor(index).run(without_early_items(call, part.calls, items - 1, d_item_size));
    if (!strided)
        return;
    for (std::size_t i = 0; i < channels.size(); i++)
        for (std::size_t m = 0; part.calls[i].out && m < outputs; m++)
            call.channels[channels[i]].out[skipped + m * rate.interpolation] =
                part.calls[i].out[m];
}

class divided_executor final : public joint_executor
{
public:
    divided_executor(const std::vector<std::vector<std::size_t>>& parts,
                     std::vector<std::unique_ptr<filter_executor>> executors)
        : joint_executor(std::move(executors))
    {
        for (std::size_t i = 0; i < parts.size(); i++) {
            const std::size_t count = parts[i].size();
            d_parts.push_back({ parts[i], std::vector<channel_call>(count) });
            for (std::size_t c = 0; c < count; c++) {
                d_places.resize(std::max(d_places.size(), parts[i][c] + 1));
                d_places[parts[i][c]] = { i, c };
            }
        }
    }

    void configure(std::size_t channel, const filter_channel& setup) override
    {
        const auto& place = d_places[channel];
        executor(place.part).configure(place.index, setup);
    }
    void run(const filter_call& call) override
    {
        for (std::size_t i = 0; i < d_parts.size(); i++) {
            auto& part = d_parts[i];
            bool any = false;
            for (std::size_t c = 0; c < part.channels.size(); c++) {
                part.calls[c] = call.channels[part.channels[c]];
                any = any || part.calls[c].out;
            }
            if (any)
                executor(i).run({ call.in, call.history, call.items, part.calls.data() });
        }
    }

private:
    struct its_part {
        std::vector<std::size_t> channels;
        std::vector<channel_call> calls; // one for each of them
    };
    //! The part of a channel, and the channel's index in it.
    struct place {
        std::size_t part = 0, index = 0;
    };

    std::vector<its_part> d_parts; // one for each executor
    std::vector<place> d_places;   // one for each channel
};

} // namespace

freq_xlating_filter_bank_problem
problem_of_channels(const freq_xlating_filter_bank_problem& bank,
                    const std::vector<std::size_t>& channels)
{
    freq_xlating_filter_bank_problem some;
    some.input = bank.input;
    some.decimation = bank.decimation;
    some.sampling_freq = bank.sampling_freq;
    some.phase = bank.phase;
    bool same = true;
    for (const std::size_t c : channels) {
        some.center_freqs.push_back(bank.center_freqs[c]);
        some.taps.push_back(bank.taps_of(c));
        same = same && some.taps.back().is(some.taps.front());
        if (!bank.rates.empty())
            some.rates.push_back(bank.rate(c));
    }
    if (same)
        some.taps.resize(1, shared_taps(some.taps.front()));
    if (some.has_one_decimation()) {
        some.decimation = some.rate(0).decimation;
        some.rates.clear();
    }
    return some;
}

freq_xlating_filter_bank_problem
rate_group::problem(const freq_xlating_filter_bank_problem& bank) const
{
    freq_xlating_filter_bank_problem one;
    one.input = bank.input;
    one.decimation = rate.decimation;
    one.sampling_freq = bank.sampling_freq;
    one.phase = bank.phase;
    for (const std::size_t channel : channels) {
        one.center_freqs.push_back(bank.center_freqs[channel]);
        if (bank.taps.size() > 1 || one.taps.empty())
            one.taps.push_back(
                rate.is_integer()
                    ? bank.taps_of(channel)
                    : shared_taps(interpolated_taps(bank.taps_of(channel), rate, phase)));
    }
    return one;
}

void add_name(const std::string& name, std::string& names)
{
    if ((", " + names + ", ").find(", " + name + ", ") == std::string::npos)
        names += (names.empty() ? "" : ", ") + name;
}

std::vector<rate_group> rate_groups(const freq_xlating_filter_bank_problem& bank)
{
    std::vector<rate_ratio> rates;
    for (std::size_t channel = 0; channel < bank.channels(); channel++)
        rates.push_back(bank.rate(channel));
    std::vector<rate_group> groups;
    for (const auto& rate : different_rates(rates)) {
        rate_group group{ rate, 0, {} };
        for (std::size_t channel = 0; channel < rates.size(); channel++)
            if (rates[channel] == rate)
                group.channels.push_back(channel);
        for (; group.phase < rate.interpolation; group.phase++)
            groups.push_back(group);
    }
    return groups;
}

std::unique_ptr<filter_executor>
make_grouped(const std::vector<rate_group>& groups,
             std::vector<std::unique_ptr<filter_executor>> executors,
             const std::vector<filter_channel>& channels)
{
    return std::make_unique<grouped_executor>(groups, std::move(executors), channels);
}

std::unique_ptr<filter_executor>
make_divided(const std::vector<std::vector<std::size_t>>& parts,
             std::vector<std::unique_ptr<filter_executor>> executors)
{
    return std::make_unique<divided_executor>(parts, std::move(executors));
}

} // namespace cldsp
