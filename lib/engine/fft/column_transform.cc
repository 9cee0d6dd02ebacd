// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the passes of a block's transform, and makes its twiddle factors.

#include "fft/column_transform.h"

#include "base/complex_floats.h"

#include <cldsp/phase.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace cldsp {

namespace {

constexpr std::size_t max_pass = 16; // values that a pass transforms

//! The approximate number of operations for each value of a pass.
double pass_cost(std::size_t size)
{
    double cost = 0;
    for (std::size_t factor = 2; size > 1;) {
        if (size % factor == 0) {
            cost += factor == 2 ? 2 : 1.0 + static_cast<double>(factor);
            size /= factor;
        } else {
            factor++;
        }
    }
    return cost;
}

//! exp(2 pi j turns)
std::complex<float> phasor_of(double turns)
{
    return std::complex<float>(phase64::from_turns(turns).phasor());
}

} // namespace

column_transform::shape column_transform::with_passes(std::size_t rows,
                                                      std::size_t columns)
{
    shape best;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t first = 1; first <= std::min(columns, max_pass); first++) {
        const std::size_t second = columns / first;
        if (columns % first != 0 || second > max_pass)
            continue;
        const double cost = pass_cost(first) + pass_cost(second) +
                            (std::gcd(first, second) > 1 ? 4 : 0) +
                            // A pass over more values than there are registers has to
                            // spill them.
                            0.1 * static_cast<double>(std::max(first, second));
        if (cost < least) {
            least = cost;
            best = { rows, columns, first, second };
        }
    }
    return best;
}

column_transform::shape column_transform::find_shape(std::size_t bins_per_row,
                                                     std::size_t bin_rows,
                                                     std::size_t width)
{
    shape best;
    double least = std::numeric_limits<double>::infinity();
    const std::size_t max_parts =
        std::min(bins_per_row / width, max_pass * max_pass / bin_rows);
    for (std::size_t parts = 1; parts <= max_parts; parts++) {
        const std::size_t rows = bins_per_row / parts;
        const std::size_t columns = bin_rows * parts;
        if (bins_per_row % parts != 0 || rows % width != 0 || passes_of(rows).first == 0)
            continue;
        const std::size_t padded = (columns + width - 1) / width * width;
        // The padding of the last row must not reach beyond rows that are read from other
        // memory.
        if (padded > 2 * columns)
            continue;
        const shape found = with_passes(rows, columns);
        // Operations: 45 for each padded value, for the columns' transforms and the
        // twiddle factors, and those of both passes for each value without padding.
        const double cost = 45.0 * static_cast<double>(padded) +
                            (pass_cost(found.first) + pass_cost(found.second)) *
                                static_cast<double>(columns);
        if (found.rows != 0 && cost / static_cast<double>(columns) < least) {
            least = cost / static_cast<double>(columns);
            best = found;
        }
    }
    return best;
}

std::size_t column_transform::padded_items(std::size_t bins_per_row,
                                           std::size_t rows,
                                           std::size_t width)
{
    const shape found = find_shape(bins_per_row, rows, width);
    return found.rows * ((found.columns + width - 1) / width * width);
}

std::unique_ptr<column_transform> column_transform::make(const gathered_layout& layout,
                                                         bool half_item,
                                                         const row_kernels& kernels)
{
    const shape found = find_shape(layout.bins_per_row, layout.rows, kernels.width);
    if (found.rows == 0)
        return nullptr;
    return std::unique_ptr<column_transform>(
        new column_transform(layout, found, half_item, kernels));
}

column_transform::column_transform(const gathered_layout& layout,
                                   const shape& sizes,
                                   bool half_item,
                                   const row_kernels& kernels)
    : d_kernels(kernels), d_shape(sizes)
{
    const row_passes passes = passes_of(sizes.rows);
    d_row_twiddles = row_twiddles(passes.first, passes.second);
    d_rows.rows = sizes.rows;
    d_rows.first = passes.first;
    d_rows.second = passes.second;
    d_rows.columns = sizes.columns;
    d_rows.strips = (sizes.columns + kernels.width - 1) / kernels.width;
    d_rows.twiddles = d_row_twiddles.data();

    d_columns.rows = sizes.rows;
    d_columns.strips = d_rows.strips;
    d_columns.first = sizes.first;
    d_columns.second = sizes.second;
    d_columns.tile_size = layout.tile_rows * 2 * kernels.width;
    set_passes(layout, half_item);
    set_factors(half_item);
}

//! Lists the columns that each transform of the first pass takes, and the positions of
//! the results of the second pass.
void column_transform::set_passes(const gathered_layout& layout, bool half_item)
{
    const std::size_t columns = d_shape.columns;
    const std::size_t first = d_shape.first;
    const std::size_t second = d_shape.second;
    const bool coprime = std::gcd(first, second) == 1;
    for (std::size_t i = 0; i < second; i++)
        for (std::size_t j = 0; j < first; j++) {
            d_from.push_back(static_cast<std::uint32_t>(
                coprime ? (second * j + first * i) % columns : second * j + i));
            if (!coprime)
                d_twiddles.push_back(phasor_of(-static_cast<double>(i * j) /
                                               static_cast<double>(columns)));
        }

    const std::size_t parts = columns / layout.rows;
    const std::size_t tiles = d_shape.rows / d_kernels.width;
    for (std::size_t j = 0; j < first; j++)
        for (std::size_t i = 0; i < second; i++) {
            // If the sizes have no common factor, h is the number with remainder j for
            // the first size and i for the second.
            std::size_t h = coprime ? j : j + first * i;
            while (coprime && h % second != i)
                h += first;
            // Bin g + P h belongs to row h / parts of the gathered bins.
            const std::size_t place =
                h % parts * tiles * d_columns.tile_size + h / parts * 2 * d_kernels.width;
            d_to.push_back(static_cast<std::uint32_t>(place));
            if (half_item)
                d_factors.push_back(phasor_of(-0.5 * static_cast<double>(h) /
                                              static_cast<double>(columns)));
        }
    d_columns.from = d_from.data();
    d_columns.to = d_to.data();
    d_columns.twiddles = d_twiddles.empty() ? nullptr : as_floats(d_twiddles.data());
    d_columns.factors = d_factors.empty() ? nullptr : as_floats(d_factors.data());
}

//! Makes exp(-2 pi j b g / items) for row g and column b, as the product of a factor for
//! the tile and a factor for the lane.
void column_transform::set_factors(bool half_item)
{
    const std::size_t width = d_kernels.width;
    const std::size_t padded = d_rows.strips * width;
    const double step = -1.0 / static_cast<double>(d_shape.rows * d_shape.columns);
    std::vector<std::complex<float>> lanes(width);
    const auto append = [&](const auto& column, const auto& row, auto& out) {
        for (std::size_t i = 0; i < width; i++) {
            const double b = static_cast<double>(column(i)) + (half_item ? 0.5 : 0.0);
            lanes[i] = phasor_of(step * b * static_cast<double>(row(i)));
        }
        append_planes(lanes.data(), width, out);
    };
    for (std::size_t g = 0; g < d_shape.rows; g += width)
        for (std::size_t b = 0; b < padded; b += width)
            append([&](std::size_t i) { return b + i; },
                   [&](std::size_t) { return g; },
                   d_tile_factors);
    for (std::size_t b = 0; b < d_shape.columns; b++)
        append([&](std::size_t) { return b; },
               [&](std::size_t i) { return split_lane(i, width); },
               d_lane_factors);
    d_columns.tile_factors = d_tile_factors.data();
    d_columns.lane_factors = d_lane_factors.data();
}

column_transform::memory column_transform::make_memory() const
{
    const std::size_t padded = d_rows.strips * d_kernels.width;
    memory m;
    m.spectrum.resize(d_rows.spectrum_size(d_kernels.width));
    m.work.resize(
        std::max(row_work_size(d_rows, d_kernels), 4 * padded * d_kernels.width));
    m.head.resize(padded);
    m.tail.resize(d_shape.rows / d_rows.first * d_shape.columns + padded);
    return m;
}

void column_transform::run(const std::complex<float>* items,
                           std::size_t shift,
                           std::size_t count,
                           memory& m,
                           float* gathered) const
{
    const std::size_t columns = d_shape.columns;
    const std::size_t padded = d_rows.strips * d_kernels.width;
    const std::size_t size = d_shape.rows * columns;
    // Copies items from a position of the block on; items beyond the block's end are only
    // padding.
    const auto copy = [&](std::size_t position, std::size_t rows, auto& to) {
        for (std::size_t i = 0; i < (rows - 1) * columns + padded; i++) {
            const std::size_t at = position + i;
            const std::size_t index = at >= shift ? at - shift : at + size - shift;
            to[i] = at < size && index < count ? items[index] : 0;
        }
    };

    row_layout layout = d_rows;
    layout.head = shift > 0 ? 1 : 0;
    const std::size_t end = shift + count;
    // A transform of the first pass reads `first` rows that are `second` apart. Only the
    // last of them may come from the tail, so that the tail must not begin before this
    // row.
    const std::size_t least = d_shape.rows - layout.second;
    layout.whole = end >= padded ? (end - padded) / columns + 1 : 0;
    layout.whole = std::clamp(layout.whole, least, d_shape.rows);
    if (layout.head)
        copy(0, 1, m.head);
    if (layout.whole < d_shape.rows)
        copy(layout.whole * columns, d_shape.rows - layout.whole, m.tail);
    const std::size_t skipped = layout.head ? columns - shift : 0;
    d_kernels.transform(layout,
                        as_floats(m.head.data()),
                        as_floats(items + skipped),
                        as_floats(m.tail.data()),
                        m.work.data(),
                        m.spectrum.data());
    // The items of the next block follow those of this one.
    d_kernels.transform_columns(d_columns,
                                m.spectrum.data(),
                                m.work.data(),
                                gathered,
                                items + count,
                                count * sizeof(*items));
}

} // namespace cldsp
