/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/block_placement.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

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

block_placement::block_placement(std::size_t block_decimation,
                                 std::size_t block_reach,
                                 bool half_items)
    : decimation(block_decimation), reach(block_reach)
{
    // All in half items: the taps' delay is as many as the reach less one.
    const std::size_t output = 2 * decimation;
    const std::size_t missing = (output - (reach - 1) % output) % output;
    shift = missing / 2;
    half_item = half_items && missing % 2 == 1;
}

placed_taps::placed_taps(const std::vector<std::complex<double>>& taps,
                         const block_placement& block,
                         fftw_vector<std::complex<float>>& out)
{
    const std::size_t items = out.size();
    const std::size_t output = 2 * block.decimation;
    // In half items: when the first output is due, and what the taps' own delay leaves of
    // that. Whole outputs of it are left to the inverse transform.
    const std::size_t due =
        2 * (block.reach - 1 + block.shift) + (block.half_item ? 1 : 0);
    const std::size_t left = due - (taps.size() - 1);
    const std::size_t advance = due / 2 - left / output * block.decimation;
    first = left / output % (items / block.decimation);

    std::complex<double> turn = 1;
    real = left % output == 0 && is_linear_phase(taps, turn);
    factor = real ? std::complex<float>(turn) : 1;
    const std::complex<double> scale =
        (real ? std::conj(turn) : 1) / static_cast<double>(items);

    std::fill(out.begin(), out.end(), 0);
    std::size_t at = (items - advance % items) % items;
    for (const auto& tap : taps) {
        out[at] = std::complex<float>(tap * scale);
        at = at + 1 == items ? 0 : at + 1;
    }
}

} // namespace cldsp
