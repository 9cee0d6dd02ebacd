/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fold_response.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

//! The largest squared gain of a tile's row, or NaN if one is NaN.
double largest_gain(const float* gathered, std::size_t lanes, bool real)
{
    double largest = 0;
    for (std::size_t i = 0; i < lanes; i++) {
        const double re = gathered[i];
        const double im = real ? 0 : gathered[lanes + i];
        const double gain = re * re + im * im;
        // Written so that a NaN stays.
        largest = gain <= largest ? largest : gain;
    }
    return largest;
}

} // namespace

void select_tiles(const fftw_vector<float>& gathered,
                  std::size_t lanes,
                  std::size_t rows,
                  bool real,
                  double accuracy,
                  fold_response& out)
{
    const std::size_t step = 2 * lanes;
    std::vector<double> largest(gathered.size() / step);
    double all = 0;
    for (std::size_t i = 0; i < largest.size(); i++) {
        largest[i] = largest_gain(&gathered[i * step], lanes, real);
        all = std::max(all, largest[i]);
    }
    const double limit = accuracy * accuracy * all;

    out.real = real;
    out.runs.clear();
    out.gains.clear();
    for (std::size_t at = 0; at < largest.size(); at += rows) {
        const std::size_t first_run = out.runs.size();
        bool open = false;
        for (std::size_t r = 0; r < rows; r++) {
            if (largest[at + r] <= limit) {
                open = false;
                continue;
            }
            if (!open)
                out.runs.push_back({ static_cast<std::uint32_t>(r), 0, false });
            open = true;
            out.runs.back().rows++;
            const auto row = gathered.begin() + (at + r) * step;
            out.gains.insert(out.gains.end(), row, row + (real ? lanes : step));
        }
        if (out.runs.size() == first_run)
            out.runs.push_back({ 0, 0, false });
        out.runs.back().last = true;
    }
}

bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn)
{
    const std::size_t last = taps.size() - 1;
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k <= last; k++)
        sum += taps[k] * taps[last - k];
    if (!(std::abs(sum) > 0))
        return false;
    const std::complex<double> square = sum / std::abs(sum);

    double energy = 0;
    double difference = 0;
    for (std::size_t k = 0; k <= last; k++) {
        energy += std::norm(taps[k]);
        difference += std::norm(taps[last - k] - square * std::conj(taps[k]));
    }
    turn = std::sqrt(square);
    // The taps themselves are rounded to 2^-24.
    return difference <= 0x1p-46 * energy;
}

} // namespace cldsp
