// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures phases in blocks, and compares the signals between them.

#include "agreement.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>

namespace trunk_recorder {

namespace {

constexpr double pi = 3.14159265358979323846;
constexpr double seconds_per_block = 0.02;

} // namespace

agreement agreement_of(const std::vector<gr_complex>& first,
                       const std::vector<gr_complex>& second,
                       double rate,
                       std::size_t from)
{
    const auto block = static_cast<std::size_t>(rate * seconds_per_block);
    const std::size_t items = std::min(first.size(), second.size());
    if (items < from + 2 * block)
        throw std::invalid_argument("signals of less than two blocks cannot be compared");
    const std::size_t blocks = (items - from) / block;

    std::vector<double> phases;
    for (std::size_t b = 0; b < blocks; b++) {
        std::complex<double> sum = 0;
        for (std::size_t i = from + b * block; i < from + (b + 1) * block; i++)
            sum += std::complex<double>(first[i]) *
                   std::conj(std::complex<double>(second[i]));
        const double before = phases.empty() ? 0 : phases.back();
        const double step = std::arg(sum) - before;
        phases.push_back(before + step - 2 * pi * std::round(step / (2 * pi)));
    }

    double power = 0, error = 0;
    for (std::size_t i = from; i < from + blocks * block; i++) {
        const double at = (static_cast<double>(i - from) + 0.5) / block - 0.5;
        const auto b = static_cast<std::size_t>(
            std::clamp(std::floor(at), 0., static_cast<double>(blocks - 2)));
        const double phase =
            phases[b] + (phases[b + 1] - phases[b]) * (at - static_cast<double>(b));
        const auto turned = std::complex<double>(second[i]) * std::polar(1.0, phase);
        power += std::norm(std::complex<double>(first[i]));
        error += std::norm(std::complex<double>(first[i]) - turned);
    }
    const double seconds = static_cast<double>((blocks - 1) * block) / rate;
    return { 10 * std::log10(error / power + 1e-30),
             (phases.back() - phases.front()) / (2 * pi) / seconds };
}

} // namespace trunk_recorder
