// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Designs a low pass as a windowed sinc, as short as the attenuation permits.

#include <cldsp/errors.h>
#include <cldsp/low_pass.h>

#include "filter/kaiser.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace cldsp {

namespace {

constexpr double two_pi = 6.28318530717958647692;

// An attempt is designed for up to this many dB more than the specified attenuation.
// Filters of few taps need up to 10 dB more, and long ones 2 dB.
constexpr double max_reserve = 12;

//! The windowed sinc of the sum 1. \param cutoff in turns per item
std::vector<float> windowed_sinc(std::size_t taps, double cutoff, double beta)
{
    std::vector<double> h(taps);
    const kaiser_window window(beta);
    const double middle = static_cast<double>(taps / 2);
    double sum = 0;
    for (std::size_t n = 0; n < taps; n++) {
        const double t = static_cast<double>(n) - middle;
        const double angle = two_pi * cutoff * t;
        h[n] = (t == 0 ? 1 : std::sin(angle) / angle) * window(t / middle);
        sum += h[n];
    }
    std::vector<float> rounded(taps);
    for (std::size_t n = 0; n < taps; n++)
        rounded[n] = static_cast<float>(h[n] / sum);
    return rounded;
}

//! The response of symmetric taps about their middle, at a frequency in turns per item.
double response_at(const std::vector<float>& h, double frequency)
{
    const std::size_t middle = h.size() / 2;
    double sum = h[middle];
    // Each phasor comes from the one before it.
    const std::complex<double> step = std::polar(1.0, two_pi * frequency);
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
 * Its error is largest near the edges of the bands, where its lobes are narrowest. So
 * each band is checked over the 5 lobes next to its edge, at 32 points in the first one
 * and at 8 in each of the others. The response of a short filter is checked everywhere.
 */
bool keeps_limits(const std::vector<float>& h, double pass, double stop, double error)
{
    const double lobe = 1 / static_cast<double>(h.size());
    constexpr std::size_t few = 200;
    const double range = h.size() <= few ? 0.5 : 5 * lobe;
    // A peak may lie half a step beside a point, where it is lower by this factor.
    const double limit = error * std::cos(two_pi / 32);
    for (double away = 0; away <= range; away += away < lobe ? lobe / 32 : lobe / 8) {
        const double below = std::max(pass - away, 0.0);
        const double above = std::min(stop + away, 0.5);
        if (std::abs(response_at(h, below) - 1) > 2 * limit ||
            std::abs(response_at(h, above)) > limit)
            return false;
    }
    return true;
}

} // namespace

double low_pass_spec::min_transition() const
{
    // The length is rounded up to an odd number.
    return sampling_freq * kaiser_transition(attenuation + max_reserve) / (max_taps - 4);
}

std::vector<float> design_low_pass(const low_pass_spec& spec)
{
    if (!(spec.sampling_freq > 0 && std::isfinite(spec.sampling_freq)))
        throw_invalid("sampling_freq",
                      number_text(spec.sampling_freq) + " Hz",
                      "above 0 Hz, and finite");
    if (!(spec.pass_freq > 0 && spec.pass_freq < spec.sampling_freq / 2))
        throw_invalid("pass_freq",
                      number_text(spec.pass_freq) + " Hz",
                      "above 0 Hz and below half of sampling_freq (" +
                          number_text(spec.sampling_freq) + " Hz)");
    if (!(spec.stop_freq > spec.pass_freq && spec.stop_freq <= spec.sampling_freq / 2))
        throw_invalid("stop_freq",
                      number_text(spec.stop_freq) + " Hz",
                      "above pass_freq (" + number_text(spec.pass_freq) +
                          " Hz) and at most half of sampling_freq (" +
                          number_text(spec.sampling_freq) + " Hz)");
    if (!(spec.attenuation >= spec.min_attenuation &&
          spec.attenuation <= spec.max_attenuation))
        throw_invalid("attenuation",
                      number_text(spec.attenuation) + " dB",
                      number_text(spec.min_attenuation) + " to " +
                          number_text(spec.max_attenuation) + " dB");
    if (!(spec.stop_freq - spec.pass_freq >= spec.min_transition()))
        throw_invalid("stop_freq",
                      number_text(spec.stop_freq) + " Hz",
                      "at least " + number_text(spec.min_transition()) +
                          " Hz above pass_freq (" + number_text(spec.pass_freq) +
                          " Hz), for which " + std::to_string(spec.max_taps) +
                          " taps are enough");
    const double pass = spec.pass_freq / spec.sampling_freq;
    const double stop = spec.stop_freq / spec.sampling_freq;
    const double error = std::pow(10, -spec.attenuation / 20);
    // Each attempt has 1 dB more attenuation and so more taps. Usually the first or
    // second one is good.
    for (double more = 0.5; more < max_reserve; more += 1) {
        const double decibels = spec.attenuation + more;
        const double length = kaiser_transition(decibels) / (stop - pass) + 1;
        const std::size_t taps = 2 * static_cast<std::size_t>(std::ceil(length / 2)) + 1;
        auto h = windowed_sinc(taps, (pass + stop) / 2, kaiser_beta(decibels));
        if (keeps_limits(h, pass, stop, error))
            return h;
    }
    throw_invalid("attenuation",
                  number_text(spec.attenuation) + " dB",
                  "what a filter with Kaiser's window reaches");
}

} // namespace cldsp
