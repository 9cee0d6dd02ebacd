/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channelize/filter_design.h"

#include <cldsp/errors.h>

#include "filter/kaiser.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cldsp::app {

namespace {

constexpr double max_taps = 4194304;

std::vector<double> windowed_sinc(std::size_t taps, double cutoff, double beta)
{
    std::vector<double> h(taps);
    const kaiser_window window(beta);
    const double middle = static_cast<double>(taps - 1) / 2;
    double sum = 0;
    for (std::size_t n = 0; n < taps; n++) {
        const double t = static_cast<double>(n) - middle;
        const double turns = 2 * pi * cutoff * t;
        const double sinc = t == 0 ? 1 : std::sin(turns) / turns;
        h[n] = sinc * window(middle == 0 ? 0 : t / middle);
        sum += h[n];
    }
    for (auto& tap : h)
        tap /= sum;
    return h;
}

//! The response of symmetric taps about their middle, at a frequency in turns per item.
double response(const std::vector<double>& h, double frequency)
{
    const std::size_t middle = h.size() / 2;
    double sum = h[middle];
    // Each phasor comes from the one before it.
    const std::complex<double> step = std::polar(1.0, 2 * pi * frequency);
    std::complex<double> phasor = 1;
    for (std::size_t n = 1; n <= middle; n++) {
        phasor *= step;
        sum += 2 * h[middle + n] * phasor.real();
    }
    return sum;
}

/*!
 * Whether the response keeps to the limits of the passband and the stopband.
 *
 * Its error is largest near the edges of the bands. So each band is checked over the 5
 * lobes next to its edge, at 8 points per lobe; the response of a short filter, which has
 * few lobes, is checked everywhere.
 */
bool is_good(const std::vector<double>& h, double pass, double stop, double error)
{
    const double grid = 0.125 / static_cast<double>(h.size());
    constexpr int points = 40; // 5 lobes
    constexpr std::size_t few = 200;
    const int all = h.size() <= few ? static_cast<int>(0.5 / grid) : points;
    for (int i = 0; i <= all; i++) {
        const double below = pass - i * grid, above = stop + i * grid;
        if (below >= 0 && std::abs(response(h, below) - 1) > 2 * error)
            return false;
        if (above <= 0.5 && std::abs(response(h, above)) > error)
            return false;
    }
    return true;
}

} // namespace

std::vector<std::complex<float>> design_low_pass(const low_pass_wish& wish)
{
    if (!(wish.stopband >= min_stopband && wish.stopband <= max_stopband))
        throw_invalid("stopband",
                      number_text(wish.stopband) + " dB",
                      number_text(min_stopband) + " to " + number_text(max_stopband) +
                          " dB");
    const double pass = wish.pass_freq / wish.sampling_freq;
    const double stop = wish.stop_freq / wish.sampling_freq;
    if (!(pass > 0 && stop > pass && stop <= 0.5))
        throw_invalid("stop_freq",
                      number_text(wish.stop_freq) + " Hz",
                      "above pass_freq (" + number_text(wish.pass_freq) +
                          " Hz) and at most half of sampling_freq (" +
                          number_text(wish.sampling_freq) + " Hz)");
    const double error = std::pow(10, -wish.stopband / 20);
    const double wanted = std::max(1.0, kaiser_transition(wish.stopband) / (stop - pass));
    if (!(wanted < max_taps / 2))
        throw_invalid("bandwidth",
                      number_text(2 * wish.pass_freq) + " Hz",
                      "so much less than " + number_text(2 * wish.stop_freq) +
                          " Hz that the filter takes fewer than 4194304 taps");
    // Each attempt has 1 dB more attenuation and so more taps. Usually the first or
    // second one is good.
    for (double more = 0.5;; more += 1) {
        const double decibels = wish.stopband + more;
        const double length = kaiser_transition(decibels) / (stop - pass) + 1;
        const std::size_t taps = 2 * static_cast<std::size_t>(std::ceil(length / 2)) + 1;
        if (static_cast<double>(taps) > max_taps)
            throw_invalid("stopband",
                          number_text(wish.stopband) + " dB",
                          "what fewer than 4194304 taps attenuate");
        const auto h = windowed_sinc(taps, (pass + stop) / 2, kaiser_beta(decibels));
        if (is_good(h, pass, stop, error))
            return { h.begin(), h.end() };
    }
}

} // namespace cldsp::app
