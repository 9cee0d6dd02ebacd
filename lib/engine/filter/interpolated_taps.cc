// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The taps of outputs that fall between two items, by a windowed sinc.

#include <cldsp/interpolated_taps.h>

#include "filter/kaiser.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

// The window is designed for images 140 dB below the signal; at some rates they are 3 dB
// higher.
constexpr double attenuation = 140;

constexpr double pi = 3.14159265358979323846;

double kernel_of(std::size_t delay, double t)
{
    const double half = static_cast<double>(delay);
    if (std::abs(t) >= half)
        return 0;
    const double sinc = t == 0 ? 1 : std::sin(pi * t) / (pi * t);
    static const kaiser_window window(kaiser_beta(attenuation));
    return sinc * window(t / half);
}

} // namespace

std::size_t interpolation_delay(const rate_ratio& rate)
{
    if (rate.is_integer())
        return 0;
    // In turns per item, the band ends at half the output's rate, and its image begins at
    // 1 minus half the output's rate.
    const double transition = 1 - static_cast<double>(rate.interpolation) /
                                      static_cast<double>(rate.decimation);
    return static_cast<std::size_t>(
        std::ceil(kaiser_transition(attenuation) / transition / 2));
}

double interpolation_kernel(const rate_ratio& rate, double t)
{
    return kernel_of(interpolation_delay(rate), t);
}

interpolation_response::interpolation_response(const rate_ratio& rate)
{
    // The kernel's band ends below one turn per item, so that P values per item, 2 or
    // more, are enough for its transform.
    constexpr std::size_t most = 16;
    const std::size_t each = std::min(rate.interpolation, most);
    const std::size_t delay = interpolation_delay(rate);
    const double scale = 1 / static_cast<double>(each);
    for (std::size_t n = 0; n < delay * each; n++)
        d_values.push_back(kernel_of(delay, static_cast<double>(n) * scale) * scale);
}

double interpolation_response::at(double frequency) const
{
    // The first value is 1 / (values an item). Each cosine comes from the two before it.
    const double turn = std::cos(2 * pi * frequency * d_values.front());
    double sum = 0, last = turn, next = 1;
    for (std::size_t n = 1; n < d_values.size(); n++) {
        sum += d_values[n] * last;
        const double further = 2 * turn * last - next;
        next = last;
        last = further;
    }
    return d_values.front() + 2 * sum;
}

std::vector<std::complex<float>>
interpolated_taps(const std::vector<std::complex<float>>& taps,
                  const rate_ratio& rate,
                  std::size_t phase)
{
    if (rate.is_integer())
        return taps;
    const std::size_t delay = interpolation_delay(rate);
    const double fraction =
        static_cast<double>(phase * rate.decimation % rate.interpolation) /
        static_cast<double>(rate.interpolation);
    // g(n + fraction) for n = -G ... G
    std::vector<double> kernel(2 * delay + 1);
    for (std::size_t n = 0; n < kernel.size(); n++)
        kernel[n] = kernel_of(
            delay, static_cast<double>(n) - static_cast<double>(delay) + fraction);
    std::vector<std::complex<float>> between(taps.size() + rate.further_taps());
    for (std::size_t k = 0; k < between.size(); k++) {
        // hc(k + u) = sum_j h[j] g(k - j - G + u)
        const std::size_t begin = k + 1 > kernel.size() ? k + 1 - kernel.size() : 0;
        const std::size_t end = std::min(k + 1, taps.size());
        std::complex<double> sum = 0;
        for (std::size_t j = begin; j < end; j++)
            sum += std::complex<double>(taps[j]) * kernel[k - j];
        between[k] = std::complex<float>(sum);
    }
    return between;
}

} // namespace cldsp
