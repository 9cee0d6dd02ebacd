/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fold_response.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

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

constexpr double fine_steps = 0x1p26; // in the largest gain
constexpr double most_fine = 32000;   // steps, short of what 16 bits hold

//! Packs rows of gains: pairs of rows if they are real, pairs of parts else.
class gain_packer
{
public:
    gain_packer(std::size_t lanes, double fine_step, fold_response& out)
        : d_lanes(lanes), d_scale(1 / fine_step), d_out(out)
    {
    }

    //! \param second what is paired with \p first in a fine run, or null
    void append(const float* first, const float* second, bool fine)
    {
        auto& gains = d_out.gains;
        if (!fine) {
            gains.insert(gains.end(), first, first + d_lanes);
            if (second)
                gains.insert(gains.end(), second, second + d_lanes);
            return;
        }
        const std::size_t at = gains.size();
        gains.resize(at + d_lanes);
        for (std::size_t i = 0; i < d_lanes; i++) {
            const double low = std::nearbyint(first[i] * d_scale);
            const double high = std::nearbyint(second[i] * d_scale - low * 0x1p-16);
            const auto both = static_cast<std::int32_t>(high * 0x1p16 + low);
            std::memcpy(&gains[at + i], &both, sizeof(both));
        }
    }

private:
    std::size_t d_lanes;
    double d_scale;
    fold_response& d_out;
};

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
    const double fine_step = std::sqrt(all) / fine_steps;
    const double fine_limit = most_fine * most_fine * fine_step * fine_step;

    out.real = real;
    out.fine_step = static_cast<float>(fine_step * 0x1p-16);
    out.runs.clear();
    out.gains.clear();
    gain_packer packer(lanes, fine_step, out);
    for (std::size_t at = 0; at < largest.size(); at += rows) {
        const std::size_t first_run = out.runs.size();
        const float* gains = &gathered[at * step];
        std::size_t next = 0; // row after the last run's
        for (std::size_t r = 0; r < rows;) {
            if (largest[at + r] <= limit) {
                r++;
                continue;
            }
            // Real gains of two rows make one word of a fine run, whether or not the
            // second one matters.
            const std::size_t together = real ? 2 : 1;
            bool fine = r + together <= rows && largest[at + r] < fine_limit &&
                        largest[at + r + together - 1] < fine_limit;
            const std::size_t taken = fine ? together : 1;
            if (out.runs.size() == first_run || r != next ||
                out.runs.back().fine != fine || out.runs.back().rows + taken > 0xffff)
                out.runs.push_back({ 0, fine, false, static_cast<std::uint32_t>(r) });
            out.runs.back().rows += static_cast<std::uint16_t>(taken);
            const float* row = gains + r * step;
            packer.append(row, !real ? row + lanes : fine ? row + step : nullptr, fine);
            r += taken;
            next = r;
        }
        if (out.runs.size() == first_run)
            out.runs.push_back({ 0, false, false, 0 });
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
