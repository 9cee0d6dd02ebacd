// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The discriminator, the envelope, and the resampler to the audio's rate.

#include "channelize/demodulator.h"

#include <cldsp/errors.h>
#include <cldsp/low_pass.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace cldsp::app {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double audio_stopband = 60;    // dB
constexpr double audio_bandwidth = 0.88; // of half of the audio's rate
constexpr double mean_seconds = 0.5;     // time constant of the carrier's level

} // namespace

/*!
 * A polyphase resampler by P / Q. The prototype filter runs at P times the input's rate,
 * on the input with P - 1 zeros after each sample, and every Qth result is an output.
 */
class resampler
{
public:
    resampler(const rate_ratio& ratio, double rate)
        : d_ratio(ratio), d_phases(ratio.interpolation)
    {
        if (ratio.interpolation == 1 && ratio.decimation == 1)
            return;
        const double half = std::min(rate, ratio.rate(rate)) / 2;
        const low_pass_spec filter{ rate * static_cast<double>(ratio.interpolation),
                                    audio_bandwidth * half,
                                    half,
                                    audio_stopband };
        // The transition is inversely proportional to the larger of P and Q.
        const double larger =
            static_cast<double>(std::max(ratio.interpolation, ratio.decimation));
        const double most = std::floor(larger * (filter.stop_freq - filter.pass_freq) /
                                       filter.min_transition());
        if (larger > most)
            throw_invalid("--audio-rate",
                          number_text(ratio.rate(rate)) + " Hz",
                          "P / Q of the channel's rate, " + number_text(rate) +
                              " Hz, with P and Q at most " + number_text(most));
        const auto taps = design_low_pass(filter);
        for (std::size_t i = 0; i < taps.size(); i++)
            d_phases[i % ratio.interpolation].push_back(
                taps[i] * static_cast<float>(ratio.interpolation));
        d_past.resize(d_phases[0].size() - 1);
    }

    void process(const std::vector<float>& in, std::vector<float>& out)
    {
        if (d_past.empty() && d_phases[0].empty()) {
            out.insert(out.end(), in.begin(), in.end());
            return;
        }
        const std::size_t history = d_past.size();
        d_past.insert(d_past.end(), in.begin(), in.end());
        const std::uint64_t end = d_ratio.outputs(d_items + in.size());
        for (std::uint64_t m = d_ratio.outputs(d_items); m < end; m++) {
            // The newest sample may have come with an earlier piece.
            const std::uint64_t newest = d_ratio.newest_item(m) + history - d_items;
            const auto& taps = d_phases[m * d_ratio.decimation % d_ratio.interpolation];
            float sum = 0;
            for (std::size_t k = 0; k < taps.size() && k <= newest; k++)
                sum += taps[k] * d_past[newest - k];
            out.push_back(sum);
        }
        d_items += in.size();
        // An output may be computed up to Q / P samples after its newest input sample.
        const std::size_t kept =
            d_phases[0].size() + d_ratio.decimation / d_ratio.interpolation + 1;
        if (d_past.size() > kept)
            d_past.erase(d_past.begin(),
                         d_past.end() - static_cast<std::ptrdiff_t>(kept));
    }

private:
    rate_ratio d_ratio;
    std::vector<std::vector<float>>
        d_phases; // phase p has the taps p, p + P, p + 2 P, ...
    std::vector<float> d_past;
    std::uint64_t d_items = 0;
};

rate_ratio audio_ratio(double audio_rate, double channel_rate)
{
    constexpr double most_of_channel = 0.9, highest = 1000;
    const double times = audio_rate / channel_rate;
    if (times <= most_of_channel || std::abs(times - 1) <= rate_ratio::max_deviation)
        return rate_ratio::of_rates(audio_rate, channel_rate, "--audio-rate");
    if (!(times <= highest))
        throw_invalid("--audio-rate",
                      number_text(audio_rate) + " Hz",
                      "at most " + number_text(highest) + " times the channel's rate, " +
                          number_text(channel_rate) + " Hz");
    // The ratio to a multiple of the channel's rate, which is higher than the audio's.
    const double multiple = std::ceil(times / most_of_channel);
    const auto part =
        rate_ratio::of_rates(audio_rate, multiple * channel_rate, "--audio-rate");
    return rate_ratio::of(part.interpolation * static_cast<std::size_t>(multiple),
                          part.decimation);
}

struct demodulator::state {
    explicit state(const demodulator_wish& wish)
        : wish(wish), audio(audio_ratio(wish.audio_rate, wish.rate), wish.rate)
    {
    }

    float fm(std::complex<float> sample)
    {
        const double turned = std::arg(sample * std::conj(last));
        last = sample;
        const double value = turned * wish.rate / (2 * pi * wish.deviation);
        smoothed += (value - smoothed) * smoothing;
        return static_cast<float>(smoothed);
    }
    float am(std::complex<float> sample)
    {
        const double level = std::abs(sample);
        // At first the mean is that of all samples so far.
        seen = std::min(seen + 1, mean_seconds * wish.rate);
        mean += (level - mean) / std::max(1.0, seen);
        return mean > 0 ? static_cast<float>(level / mean - 1) : 0.0f;
    }

    demodulator_wish wish;
    resampler audio;
    std::complex<float> last = 0;
    // The coefficient of the one-pole low pass of the deemphasis.
    const double smoothing = wish.deemphasis > 0
                                 ? 1 - std::exp(-1 / (wish.rate * wish.deemphasis))
                                 : 1;
    double smoothed = 0, mean = 0, seen = 0;
    std::size_t muted = wish.muted; // samples that are still to come
    std::vector<float> values;
};

demodulator::demodulator(const demodulator_wish& wish)
    : d_state(std::make_unique<state>(wish))
{
}

demodulator::~demodulator() = default;

void demodulator::process(const std::complex<float>* samples,
                          std::size_t count,
                          std::vector<float>& audio)
{
    auto& s = *d_state;
    s.values.resize(count);
    const bool fm = s.wish.kind == demodulation::fm;
    const std::size_t muted = std::min(s.muted, count);
    s.muted -= muted;
    std::fill_n(s.values.begin(), muted, 0.0f);
    if (muted > 0)
        s.last = samples[muted - 1];
    const auto first = static_cast<std::ptrdiff_t>(muted);
    std::transform(samples + first,
                   samples + count,
                   s.values.begin() + first,
                   [&](auto sample) { return fm ? s.fm(sample) : s.am(sample); });
    s.audio.process(s.values, audio);
}

} // namespace cldsp::app
