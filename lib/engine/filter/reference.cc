// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters in double precision by the definition, which every executor is compared with.

#include <cldsp/reference.h>

#include <cldsp/interpolated_taps.h>

#include <cldsp/errors.h>

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
    const rate_ratio rate = { problem.interpolation, problem.decimation };
    const std::size_t taps = problem.taps.size() + rate.further_taps();
    return phase64::from_turns(-hertz / problem.sampling_freq *
                               (static_cast<double>(taps) - 1) / 2);
}

// The taps hc(k + u) of interpolated_taps.h in double precision, rotated.
std::vector<std::complex<double>> rotated_taps(const std::vector<std::complex<float>>& h,
                                               const rate_ratio& rate,
                                               std::size_t phase,
                                               phase64 step)
{
    const std::size_t delay = interpolation_delay(rate);
    const double fraction =
        static_cast<double>(phase * rate.decimation % rate.interpolation) /
        static_cast<double>(rate.interpolation);
    std::vector<double> kernel(2 * delay + 1, 1.0);
    for (std::size_t n = 0; n < kernel.size() && !rate.is_integer(); n++)
        kernel[n] = interpolation_kernel(
            rate, static_cast<double>(n) - static_cast<double>(delay) + fraction);
    std::vector<std::complex<double>> taps(h.size() + 2 * delay);
    for (std::size_t k = 0; k < taps.size(); k++) {
        for (std::size_t n = 0; n < kernel.size() && n <= k; n++)
            if (k - n < h.size())
                taps[k] += std::complex<double>(h[k - n]) * kernel[n];
        taps[k] *= (step * k).phasor();
    }
    return taps;
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
    const rate_ratio rate = { d_problem.interpolation, d_problem.decimation };
    std::vector<std::vector<std::complex<double>>> rotated(d_problem.interpolation);
    for (std::size_t phase = 0; phase < rotated.size(); phase++)
        rotated[phase] = rotated_taps(d_problem.taps, rate, phase, step);

    std::vector<std::complex<double>> out;
    for (; rate.items(d_next + 1) <= d_items.size(); d_next++) {
        const auto& taps = rotated[d_next % d_problem.interpolation];
        const std::uint64_t newest = rate.newest_item(d_next);
        std::complex<double> sum = 0;
        for (std::size_t k = 0; k < taps.size() && k <= newest; k++)
            sum += taps[k] * d_items[newest - k];
        out.push_back(d_phase.phasor() * sum);
        d_phase += -step * (rate.newest_item(d_next + 1) - newest);
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
