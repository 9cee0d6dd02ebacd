// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Collects the recorders' channels, and makes the bank when the flowgraph is connected.

#include "channel_bank.h"
#include "refuse.h"
#include <cmath>
#include <stdexcept>

namespace trunk_recorder {

channel_bank::sptr channel_bank::make(double input_rate, const std::string& device)
{
    return sptr(new channel_bank(input_rate, device));
}

channel_bank::channel_bank(double input_rate, const std::string& device)
    : d_input_rate(input_rate), d_device(device)
{
    if (!std::isfinite(input_rate) || input_rate <= 0)
        refuse("input_rate", input_rate, "finite and above 0");
}

int channel_bank::add_channel(const std::vector<float>& taps, int decimation)
{
    const std::lock_guard guard(d_mutex);
    check_not_connected("add_channel");
    if (taps.empty())
        refuse("taps", "none", "one or more");
    if (decimation < 1)
        refuse("decimation", decimation, "1 or more");
    channel added;
    added.taps = taps;
    added.decimation = decimation;
    d_channels.push_back(added);
    return static_cast<int>(d_channels.size()) - 1;
}

int channel_bank::add_reader(const gr::basic_block_sptr& reader)
{
    const std::lock_guard guard(d_mutex);
    check_not_connected("add_reader");
    if (!reader)
        refuse("reader", "null", "a block");
    if (d_channels.empty() || d_channels.back().reader)
        throw std::logic_error("add_reader() without a new channel: the block " +
                               reader->name() + " has to add its channel before");
    d_channels.back().reader = reader;
    return static_cast<int>(d_channels.size()) - 1;
}

void channel_bank::connect(const gr::top_block_sptr& flowgraph,
                           const gr::basic_block_sptr& source)
{
    const std::lock_guard guard(d_mutex);
    check_not_connected("connect");
    std::vector<int> decimations;
    std::vector<std::vector<float>> taps;
    std::vector<double> center_freqs;
    for (const auto& channel : d_channels) {
        if (!channel.reader)
            throw std::logic_error("connect() with channel " +
                                   std::to_string(taps.size()) +
                                   ", which has no reader: add_reader() follows each "
                                   "channel that is added");
        decimations.push_back(channel.decimation);
        taps.push_back(channel.taps);
        center_freqs.push_back(channel.center_freq);
    }
    bank_type::sptr bank;
    if (!d_channels.empty()) {
        bank = bank_type::make_with_rates(
            decimations, taps, center_freqs, d_input_rate, { 0 }, d_device);
        flowgraph->connect(source, 0, bank, 0);
    }
    for (int c = 0; c < static_cast<int>(d_channels.size()); c++) {
        bank->set_channel_active(c, d_channels[c].enabled);
        flowgraph->connect(bank, c, d_channels[c].reader, 0);
    }
    // The flowgraph holds the readers from now on, and their handles hold this object. A
    // reference back would keep all of them forever.
    for (auto& channel : d_channels)
        channel.reader.reset();
    d_bank = bank;
    d_connected = true;
}

int channel_bank::channels() const
{
    const std::lock_guard guard(d_mutex);
    return static_cast<int>(d_channels.size());
}

void channel_bank::set_enabled(int channel, bool enabled)
{
    const std::lock_guard guard(d_mutex);
    check(channel);
    d_channels[channel].enabled = enabled;
    if (d_bank)
        d_bank->set_channel_active(channel, enabled);
}

bool channel_bank::enabled(int channel) const
{
    const std::lock_guard guard(d_mutex);
    check(channel);
    return d_channels[channel].enabled;
}

void channel_bank::set_center_freq(int channel, double center_freq)
{
    const std::lock_guard guard(d_mutex);
    check(channel);
    if (!std::isfinite(center_freq))
        refuse("center_freq", center_freq, "finite");
    d_channels[channel].center_freq = center_freq;
    if (d_bank)
        d_bank->set_center_freq(channel, center_freq);
}

void channel_bank::set_taps(int channel, const std::vector<float>& taps)
{
    const std::lock_guard guard(d_mutex);
    check(channel);
    if (taps.empty())
        refuse("taps", "none", "one or more");
    if (taps == d_channels[channel].taps)
        return;
    if (d_bank) {
        std::vector<std::vector<float>> all;
        for (const auto& other : d_channels)
            all.push_back(other.taps);
        all[channel] = taps;
        d_bank->update_taps(all);
    }
    d_channels[channel].taps = taps;
}

bool channel_bank::got_samples()
{
    const std::lock_guard guard(d_mutex);
    const std::uint64_t items = d_bank ? d_bank->nitems_read(0) : 0;
    const bool got = items != d_seen_items;
    d_seen_items = items;
    return got;
}

channel_bank::bank_type::sptr channel_bank::block() const
{
    const std::lock_guard guard(d_mutex);
    return d_bank;
}

void channel_bank::check(int channel) const
{
    const int count = static_cast<int>(d_channels.size());
    if (channel < 0 || channel >= count)
        refuse("channel",
               channel,
               count > 0 ? "0 to " + std::to_string(count - 1)
                         : "that of a channel, and there is none");
}

void channel_bank::check_not_connected(const char* call) const
{
    if (d_connected)
        throw std::logic_error(std::string(call) +
                               "() after connect(): the channels of a bank are fixed "
                               "before its flowgraph starts");
}

} // namespace trunk_recorder
