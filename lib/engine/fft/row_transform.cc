// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the passes for each number of rows, and the kernels of the machine.

#include "base/arithmetic.h"
#include "fft/row_transform.h"
#include "simd/dispatch.h"

#include <cldsp/phase.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace cldsp {

CLDSP_DECLARE_KERNELS(row_kernels, row_transforms)

std::vector<const row_kernels*> available_row_kernels()
{
    return runnable_kernels<row_kernels>(CLDSP_KERNEL_SETS(row_transforms));
}

std::optional<pair_integers> pair_integers_of(sample_type type)
{
    switch (type) {
    case sample_type::cu8:
        return pair_integers::u8;
    case sample_type::cs8:
        return pair_integers::s8;
    case sample_type::cs16:
        return pair_integers::s16;
    default:
        return std::nullopt;
    }
}

row_passes passes_of(std::size_t rows)
{
    // The second pass gets the larger transforms, which need more registers than there
    // are. The first pass already has the twiddle factors and the scattered loads.
    switch (rows) {
    case 16:
        return { 4, 4 };
    case 32:
        return { 4, 8 };
    case 64:
        return { 8, 8 };
    case 128:
        return { 8, 16 };
    case 256:
        return { 16, 16 };
    case 512:
        return { 16, 32 };
    case 1024:
        return { 32, 32 };
    default:
        return { 0, 0 };
    }
}

row_passes inverse_passes(std::size_t size, std::size_t width)
{
    row_passes best = { 0, 0 };
    double least = std::numeric_limits<double>::infinity();
    for (const std::size_t second : inverse_seconds) {
        const std::size_t first = size / second;
        if (size % second != 0 || second % width != 0 ||
            std::find(std::begin(inverse_firsts), std::end(inverse_firsts), first) ==
                std::end(inverse_firsts))
            continue;
        // The second pass also transforms the padding. The values of long transforms do
        // not fit the registers.
        const auto longest = static_cast<double>(std::max(first, second));
        const double cost =
            static_cast<double>((first + round_up(first, width)) * second) *
            (1 + 0.02 * longest);
        if (cost < least) {
            least = cost;
            best = { first, second };
        }
    }
    return best;
}

std::size_t row_phases(std::size_t decimation, bool real_items, std::size_t width)
{
    // Measured nanoseconds for an item of a full row; only the ratio of the two matters.
    const double transform_cost = real_items ? 0.28 : 0.55;
    constexpr double fold_cost = 0.15;
    constexpr std::size_t max_phases = 32;

    std::size_t best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t phases = 1; phases <= max_phases; phases++) {
        const std::size_t columns = phases * decimation;
        const std::size_t padded = (columns + width - 1) / width * width;
        const double cost = (transform_cost + fold_cost * static_cast<double>(phases)) *
                            static_cast<double>(padded) / static_cast<double>(columns);
        if (cost < least) {
            least = cost;
            best = phases;
        }
    }
    return best;
}

std::array<std::size_t, 4> rows_of_slot(std::size_t slot, std::size_t pairs)
{
    const std::size_t rows = 2 * pairs;
    if (slot == 0)
        return { 0, pairs / 2, pairs, rows - pairs / 2 };
    return { slot, rows - slot, pairs - slot, pairs + slot };
}

aligned_vector<float> row_twiddles(std::size_t first, std::size_t second)
{
    aligned_vector<float> twiddles;
    twiddles.reserve(2 * first * second);
    const phase64 step = phase64::from_turns(-1.0 / static_cast<double>(first * second));
    for (std::size_t a = 0; a < second; a++) {
        for (std::size_t g = 0; g < first; g++) {
            const std::complex<double> twiddle = (step * (a * g)).phasor();
            twiddles.push_back(static_cast<float>(twiddle.real()));
            twiddles.push_back(static_cast<float>(twiddle.imag()));
        }
    }
    return twiddles;
}

void append_split(const std::complex<float>* values,
                  std::size_t width,
                  aligned_vector<float>& out)
{
    for (std::size_t i = 0; i < width; i++)
        out.push_back(values[split_lane(i, width)].real());
    for (std::size_t i = 0; i < width; i++)
        out.push_back(values[split_lane(i, width)].imag());
}

void append_planes(const std::complex<float>* values,
                   std::size_t width,
                   aligned_vector<float>& out)
{
    for (std::size_t i = 0; i < width; i++)
        out.push_back(values[i].real());
    for (std::size_t i = 0; i < width; i++)
        out.push_back(values[i].imag());
}

std::size_t row_work_size(const row_layout& layout, const row_kernels& kernels)
{
    return layout.first * (layout.second + 1) * 2 * kernels.width;
}

} // namespace cldsp
