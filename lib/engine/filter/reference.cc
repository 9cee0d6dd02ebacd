/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/errors.h>
#include <cldsp/reference.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cldsp {

namespace {

// The change of the rotator's phase when the frequency changes by \p hertz.
phase64 phase_change(const freq_xlating_fir_problem& problem, double hertz)
{
    if (problem.phase == phase_reference::input)
        return {};
    return phase64::from_turns(-hertz / problem.sampling_freq *
                               (static_cast<double>(problem.taps.size()) - 1) / 2);
}

} // namespace

freq_xlating_fir_reference::freq_xlating_fir_reference(
    const freq_xlating_fir_problem& problem)
    : d_problem(problem)
{
    problem.check();
    d_phase = phase_change(problem, problem.center_freq);
}

std::vector<std::complex<double>> freq_xlating_fir_reference::process(const void* in,
                                                                      std::size_t items)
{
    for (std::size_t i = 0; i < items; i++)
        d_items.push_back(sample_at(in, d_problem.input, i));

    const phase64 step = d_problem.step();
    std::vector<std::complex<double>> rotated;
    for (const auto& tap : d_problem.taps)
        rotated.push_back(std::complex<double>(tap) * (step * rotated.size()).phasor());

    const std::size_t decimation = d_problem.decimation;
    std::vector<std::complex<double>> out;
    for (; d_next + decimation <= d_items.size(); d_next += decimation) {
        std::complex<double> sum = 0;
        for (std::size_t k = 0; k < rotated.size() && k <= d_next; k++)
            sum += rotated[k] * d_items[d_next - k];
        out.push_back(d_phase.phasor() * sum);
        d_phase += -step * decimation;
    }
    return out;
}

void freq_xlating_fir_reference::set_center_freq(double center_freq)
{
    check_center_freq(center_freq);
    d_phase += phase_change(d_problem, center_freq - d_problem.center_freq);
    d_problem.center_freq = center_freq;
}

void freq_xlating_fir_reference::set_taps(const std::vector<std::complex<float>>& taps)
{
    check_taps(taps);
    d_problem.taps = taps;
}

double error_db(const std::vector<std::complex<float>>& a,
                const std::vector<std::complex<double>>& b)
{
    if (a.size() != b.size())
        throw_invalid("a", std::to_string(a.size()) + " values", "as long as b");
    if (b.empty())
        throw_invalid("b", "empty", "one value or more");

    double peak = 0;
    double largest = 0;
    for (std::size_t i = 0; i < b.size(); i++) {
        const double difference = std::abs(std::complex<double>(a[i]) - b[i]);
        // A NaN compares false with everything and would otherwise pass unseen.
        if (!std::isfinite(difference))
            return std::numeric_limits<double>::infinity();
        largest = std::max(largest, difference);
        peak = std::max(peak, std::abs(b[i]));
    }
    if (largest == 0)
        return -std::numeric_limits<double>::infinity();
    return 20 * std::log10(largest / peak);
}

} // namespace cldsp
