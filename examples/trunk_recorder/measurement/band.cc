// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Modulates random symbols, and reads them back from a demodulated channel.

#include "../refuse.h"
#include "band.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>

namespace trunk_recorder {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double deviation = 600; // of a symbol of 1, in Hz
constexpr double roll_off = 0.2;
constexpr double spacing_step = 6250, bandwidth = 12500;
constexpr double amplitude = 0.1, noise_below = 1e4; // 40 dB
constexpr int points_per_symbol = 10, symbols_of_pulse = 8;

// The raised cosine: 1 at 0, and 0 at all other whole numbers of symbols.
double pulse(double symbols)
{
    const double x = pi * symbols, y = 2 * roll_off * symbols;
    if (std::abs(1 - y * y) < 1e-9)
        return pi / 4 * std::sin(x) / x;
    const double sinc = std::abs(x) < 1e-9 ? 1 : std::sin(x) / x;
    return sinc * std::cos(roll_off * x) / (1 - y * y);
}

// The frequency over time, at points_per_symbol; its end goes over into its beginning.
std::vector<double> frequency_of(const std::vector<int>& symbols)
{
    const int reach = symbols_of_pulse * points_per_symbol;
    const int points = static_cast<int>(symbols.size()) * points_per_symbol;
    std::vector<double> frequency(points);
    for (int s = 0; s < static_cast<int>(symbols.size()); s++)
        for (int away = -reach; away <= reach; away++) {
            const int point = (s * points_per_symbol + away + points) % points;
            frequency[point] += deviation * symbols[s] *
                                pulse(static_cast<double>(away) / points_per_symbol);
        }
    return frequency;
}

// Symbols whose phases add up to whole turns.
std::vector<int> random_symbols(int count, std::mt19937& random)
{
    constexpr int symbols_per_turn = band::symbol_rate / static_cast<int>(deviation);
    std::uniform_int_distribution<int> symbol(0, 3);
    std::vector<int> symbols;
    int sum = 0;
    for (int s = 0; s < count; s++) {
        symbols.push_back(2 * symbol(random) - 3);
        sum += symbols.back();
    }
    for (auto s = symbols.begin(); sum % symbols_per_turn != 0; ++s)
        if (*s < 3) {
            *s += 2;
            sum += 2;
        }
    return symbols;
}

void add_channel(std::vector<gr_complex>& samples,
                 double rate,
                 double center_freq,
                 const std::vector<double>& frequency)
{
    const double points_per_item = band::symbol_rate * points_per_symbol / rate;
    double turns = 0;
    for (std::size_t i = 0; i < samples.size(); i++) {
        const double at = static_cast<double>(i) * points_per_item;
        const auto point = std::min(static_cast<std::size_t>(at), frequency.size() - 1);
        const auto next = point + 1 < frequency.size() ? point + 1 : 0;
        const double part = at - static_cast<double>(point);
        const double hz = frequency[point] * (1 - part) + frequency[next] * part;
        samples[i] +=
            std::polar(static_cast<float>(amplitude), static_cast<float>(2 * pi * turns));
        turns += (center_freq + hz) / rate;
        turns -= std::floor(turns);
    }
}

} // namespace

band::band(double rate, int channels, int seconds)
    : rate(rate), samples(static_cast<std::size_t>(rate * seconds))
{
    const double spacing =
        std::floor(0.85 * rate / channels / spacing_step) * spacing_step;
    if (channels < 1 || spacing < bandwidth)
        refuse("channels", channels, "1 to what has 12.5 kHz each in 0.85 of the rate");
    if (seconds < 1)
        refuse("seconds", seconds, "1 or more");

    std::mt19937 random(5);
    for (int c = 0; c < channels; c++) {
        center_freqs.push_back((c - channels / 2) * spacing + spacing_step * (c % 2));
        symbols.push_back(random_symbols(seconds * symbol_rate, random));
        add_channel(samples, rate, center_freqs.back(), frequency_of(symbols.back()));
    }
    const double power = amplitude * amplitude / noise_below * rate / bandwidth;
    std::normal_distribution<float> noise(0, static_cast<float>(std::sqrt(power / 2)));
    for (auto& sample : samples)
        sample += gr_complex(noise(random), noise(random));
}

std::vector<int>
symbols_of(const std::vector<gr_complex>& channel, int samples_per_symbol, double first)
{
    std::vector<double> hz;
    const double hz_per_radian = band::symbol_rate * samples_per_symbol / (2 * pi);
    for (std::size_t n = 1; n < channel.size(); n++)
        hz.push_back(hz_per_radian * std::arg(channel[n] * std::conj(channel[n - 1])));

    // Frequency n belongs to the time n + 1/2. Between those it is a cubic.
    std::vector<double> middles;
    double mean = 0;
    for (double at = first - 0.5; at + 2 < static_cast<double>(hz.size());
         at += samples_per_symbol) {
        const auto n = static_cast<std::size_t>(std::max(at, 1.0));
        const double t = at - static_cast<double>(n);
        const double a = hz[n - 1], b = hz[n], c = hz[n + 1], d = hz[n + 2];
        middles.push_back(
            b +
            t / 2 *
                (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
        mean += middles.back();
    }
    if (!middles.empty())
        mean /= static_cast<double>(middles.size());
    std::vector<int> symbols;
    for (const double middle : middles) {
        const double level = std::floor((middle - mean) / (2 * deviation));
        symbols.push_back(2 * static_cast<int>(std::clamp(level, -2., 1.)) + 1);
    }
    return symbols;
}

} // namespace trunk_recorder
