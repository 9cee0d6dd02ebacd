// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Designs each channel's filter, and makes the bank that computes them.

#include "channelize/channel_bank.h"

#include "channelize/sample_format.h"

#include <cldsp/errors.h>
#include <cldsp/interpolated_taps.h>
#include <cldsp/low_pass.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <tuple>

namespace cldsp::app {

namespace {

//! The band of the input, as a text and as a check.
void check_band(const designed_channel& channel, const bank_input& input)
{
    const double half = input.rate / 2, side = channel.bandwidth / 2;
    // Frequencies that are written as decimals may be off by a rounding error.
    const double rounding = 1e-9 * input.rate;
    if (std::abs(channel.offset) + side <= half + rounding)
        return;
    const double center = input.center.value_or(0);
    // The error says what to write if 446.1 stands for 446.1M.
    constexpr double mega = 1e6;
    const bool is_in_mhz =
        std::abs(channel.frequency * mega - center) + side <= half + rounding;
    throw_invalid(
        "frequency",
        number_text(channel.frequency) + " Hz",
        number_text(center - half + side) + " to " + number_text(center + half - side) +
            " Hz for a bandwidth of " + number_text(channel.bandwidth) + " Hz" +
            (input.center ? ", as the centre is " + number_text(center) + " Hz"
                          : ", off the centre, which is not known: see --center") +
            (is_in_mhz ? "; write " + number_text(channel.frequency) + "M" : ""));
}

//! The channel's filter. Errors name the options of the channel.
low_pass_spec checked_filter(const designed_channel& channel, const bank_input& input)
{
    const low_pass_spec filter{
        input.rate, channel.bandwidth / 2, channel.rate / 2, channel.stopband
    };
    if (!(filter.attenuation >= filter.min_attenuation &&
          filter.attenuation <= filter.max_attenuation))
        throw_invalid("stopband",
                      number_text(channel.stopband) + " dB",
                      number_text(filter.min_attenuation) + " to " +
                          number_text(filter.max_attenuation) + " dB");
    const double max_bandwidth = channel.rate - 2 * filter.min_transition();
    if (!(channel.bandwidth <= max_bandwidth))
        throw_invalid("bandwidth",
                      number_text(channel.bandwidth) + " Hz",
                      "at most " + number_text(max_bandwidth) + " Hz for a filter of " +
                          std::to_string(filter.max_taps) + " taps");
    return filter;
}

designed_channel
checked_channel(const channel_wish& wish, const bank_input& input, double stopband)
{
    designed_channel channel;
    channel.name = wish.name;
    channel.frequency = wish.frequency;
    channel.offset = wish.frequency - input.center.value_or(0);
    channel.ratio = rate_ratio::of_rates(wish.rate, input.rate, "rate");
    channel.rate = channel.ratio.rate_near(wish.rate, input.rate);
    channel.bandwidth = wish.bandwidth.value_or(usual_bandwidth * wish.rate);
    channel.stopband = wish.stopband.value_or(stopband);
    if (!(channel.bandwidth > 0 && channel.bandwidth < wish.rate))
        throw_invalid("bandwidth",
                      number_text(channel.bandwidth) + " Hz",
                      "above 0 and below the rate, " + number_text(wish.rate) + " Hz");
    check_band(channel, input);
    return channel;
}

freq_xlating_filter_bank_problem problem_of(const std::vector<designed_channel>& channels,
                                            const bank_input& input)
{
    const float gain =
        static_cast<float>(1 / input.full_scale.value_or(full_scale(input.type)));
    freq_xlating_filter_bank_problem problem;
    problem.input = input.type;
    problem.sampling_freq = input.rate;
    problem.phase = phase_reference::input;
    std::vector<std::pair<shared_taps, shared_taps>> scaled;
    for (const auto& channel : channels) {
        const auto known = std::find_if(scaled.begin(), scaled.end(), [&](const auto& p) {
            return p.first.is(channel.taps);
        });
        if (known != scaled.end()) {
            problem.taps.push_back(known->second);
        } else {
            shared_taps::values taps(channel.taps.begin(), channel.taps.end());
            for (auto& tap : taps)
                tap *= gain;
            scaled.emplace_back(channel.taps, taps);
            problem.taps.push_back(scaled.back().second);
        }
        problem.center_freqs.push_back(channel.offset);
        problem.rates.push_back(channel.ratio);
    }
    if (scaled.size() == 1)
        problem.taps.resize(1, scaled.front().second);
    if (different_rates(problem.rates).size() == 1 && problem.rates[0].is_integer()) {
        problem.decimation = problem.rates[0].decimation;
        problem.rates.clear();
    }
    return problem;
}

} // namespace

double designed_channel::delay(double input_rate) const
{
    return (static_cast<double>(taps.size() - 1) / 2 +
            static_cast<double>(interpolation_delay(ratio))) /
           input_rate;
}

std::size_t designed_channel::outputs_until_full() const
{
    const std::size_t past = taps.size() - 1 + 2 * interpolation_delay(ratio);
    return (past * ratio.interpolation + ratio.decimation - 1) / ratio.decimation;
}

std::vector<designed_channel> design_channels(const std::vector<channel_wish>& wishes,
                                              const bank_input& input,
                                              double stopband)
{
    std::vector<designed_channel> channels;
    // Channels of the same kind share their taps, in memory and in the engine.
    std::map<std::tuple<double, double, double>, shared_taps> designs;
    for (const auto& wish : wishes) {
        try {
            auto channel = checked_channel(wish, input, stopband);
            const auto key =
                std::make_tuple(channel.rate, channel.bandwidth, channel.stopband);
            auto known = designs.find(key);
            if (known == designs.end()) {
                const auto taps = design_low_pass(checked_filter(channel, input));
                known =
                    designs.emplace(key, shared_taps::values(taps.begin(), taps.end()))
                        .first;
            }
            channel.taps = known->second;
            channels.push_back(std::move(channel));
        } catch (const std::invalid_argument& e) {
            throw std::invalid_argument("channel '" + wish.name + "': " + e.what());
        }
    }
    return channels;
}

channel_bank::channel_bank(const std::vector<designed_channel>& channels,
                           const bank_input& input,
                           const freq_xlating_filter_bank_options& options,
                           const std::shared_ptr<context_registry>& registry,
                           std::size_t piece_items)
    : d_item_size(sample_size(input.type)),
      d_piece_items(piece_items),
      d_bank(problem_of(channels, input), options, registry, {}),
      d_news(registry, options.log, d_bank.bank().chosen())
{
}

std::unique_ptr<input_piece> channel_bank::make_input() const
{
    return std::make_unique<input_piece>(
        d_bank.room_in_front(), d_piece_items, d_item_size);
}

std::unique_ptr<output_piece> channel_bank::make_outputs() const
{
    auto piece = std::make_unique<output_piece>();
    for (std::size_t c = 0; c < engine().channels(); c++)
        piece->channels.emplace_back(d_bank.max_outputs(c, d_piece_items));
    piece->counts.resize(engine().channels());
    return piece;
}

void channel_bank::process(input_piece& piece, output_piece& outputs)
{
    std::size_t room = 1;
    std::vector<std::complex<float>*> out;
    for (auto& channel : outputs.channels) {
        room = std::max(room, channel.size());
        out.push_back(channel.data());
    }
    d_bank.process_after_room(
        piece.items(), piece.count, out.data(), room, outputs.counts.data());
    d_news.look(d_bank.renewals(), d_bank.bank().chosen());
    d_items += piece.count;
    outputs.items = d_items;
}

piece_sizes sizes_of(const std::vector<designed_channel>& channels,
                     const bank_input& input,
                     bool is_live)
{
    constexpr double usual = 1 << 19, largest = 1 << 22;
    constexpr double memory = 192e6; // bytes of all pieces
    constexpr int pieces = 3;        // one is read or written, one computed, one waits
    constexpr int most_live_pieces = 64;
    constexpr double live_seconds = 0.05; // of a radio's signal, in a piece
    constexpr double least_live_items = 4096;
    constexpr double history_part = 1.0 / 16; // the largest part of a call that is
                                              // history, read twice
    constexpr double calls = 4;               // calls in a piece, to share among threads
    double outputs = 0, history = 1;
    for (const auto& channel : channels) {
        outputs += static_cast<double>(channel.ratio.interpolation) /
                   static_cast<double>(channel.ratio.decimation);
        history = std::max(history,
                           static_cast<double>(channel.taps.size()) +
                               static_cast<double>(channel.ratio.decimation));
    }
    const double each =
        static_cast<double>(sample_size(input.type)) + outputs * sizeof(float) * 2;
    const double most = memory / pieces / each;
    const double planned =
        std::min(std::clamp(history / history_part, usual, largest), most);
    constexpr double page = 4096; // this many items of any type fill whole pages of a
                                  // file, which are read fastest
    const auto in_pages = [](double items) {
        return static_cast<std::size_t>(std::ceil(items / page) * page);
    };
    const double items = std::min({ calls * planned, largest, most });
    if (!is_live)
        return { in_pages(planned), in_pages(items), pieces };
    // A radio does not wait. Many short pieces buffer its samples while the disk is busy.
    const double live =
        std::min(items, std::max(live_seconds * input.rate, least_live_items));
    const double count = memory / each / static_cast<double>(in_pages(live));
    return { in_pages(planned),
             in_pages(live),
             std::clamp(static_cast<int>(count), pieces, most_live_pieces) };
}

} // namespace cldsp::app
