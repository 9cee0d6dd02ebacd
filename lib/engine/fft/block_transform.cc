// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Transforms the columns of a large block by our kernels, its rows by FFTW.

#include "fft/block_transform.h"

#include "base/arithmetic.h"
#include "base/complex_floats.h"
#include "simd/samples.h"

#include <cldsp/phase.h>

#include <algorithm>
#include <vector>

namespace cldsp {

namespace {

// FFTW is as fast for smaller blocks. For larger ones it takes up to twice as long, and a
// second to find its plan.
constexpr std::size_t min_grid = 40960;
// The same where FFTW has not measured its plan. With AVX-512 a grid of 16384 to 38400
// values then takes 0.45 to 0.95 of the time, or up to twice the time if its rows do not
// fill vectors. Counted for arm64, it has 7 % fewer to 4 % more instructions, but its
// steps work in a nearer cache.
constexpr std::size_t min_grid_of_estimates = 16384, columns_of_vectors = 8;
// Rows of a grid that are transposed together: their values fill whole cache lines.
constexpr std::size_t rows_together = 16;

//! The number of rows of a block's grid, as many as the kernels for columns can
//! transform. 0: there is no such grid.
std::size_t grid_rows(std::size_t size)
{
    // A row of this many values and its transform fit the L2 cache.
    constexpr std::size_t max_columns = 4096;
    std::size_t most = 0;
    for (std::size_t rows = 64; passes_of(rows).first != 0 && size % rows == 0;
         rows *= 2) {
        most = rows;
        if (size / rows <= max_columns)
            break;
    }
    return most;
}

//! The number of columns of a grid for a block of which FFTW has only an estimated plan;
//! 0: that plan is better.
std::size_t columns_instead_of_estimate(std::size_t size)
{
    const std::size_t rows = size >= min_grid_of_estimates ? grid_rows(size) : 0;
    return rows && size / rows % columns_of_vectors == 0 ? size / rows : 0;
}

} // namespace

std::size_t block_transform::grid_columns(std::size_t size)
{
    const std::size_t rows = size >= min_grid ? grid_rows(size) : 0;
    return rows ? size / rows : 0;
}

block_transform::block_transform(std::size_t size, const row_kernels& kernels)
    : d_kernels(kernels)
{
    const auto plan_of = [](std::size_t values) {
        return fftw_plan::get(values, fftw_direction::forward);
    };
    std::size_t columns = grid_columns(size);
    d_forward = plan_of(columns ? columns : size);
    if (columns == 0 && !d_forward->is_measured())
        if ((columns = columns_instead_of_estimate(size)) != 0)
            d_forward = plan_of(columns);
    if (columns == 0)
        return;
    const std::size_t width = kernels.width;
    const std::size_t rows = size / columns;
    const row_passes passes = passes_of(rows);
    d_row_twiddles = row_twiddles(passes.first, passes.second);
    d_rows.rows = rows;
    d_rows.first = passes.first;
    d_rows.second = passes.second;
    d_rows.columns = columns;
    d_rows.strips = divide_up(columns, width);
    d_rows.whole = rows - 1;
    d_rows.twiddles = d_row_twiddles.data();

    const double turn = -1.0 / static_cast<double>(size);
    std::vector<std::complex<float>> lanes(width);
    d_strip_factors.resize(rows * d_rows.strips);
    for (std::size_t g = 0; g < rows; g++) {
        const double step = turn * static_cast<double>(g);
        for (std::size_t i = 0; i < width; i++)
            lanes[i] = std::complex<float>(
                phase64::from_turns(step * static_cast<double>(i)).phasor());
        append_planes(lanes.data(), width, d_lane_factors);
        fill_phasors(&d_strip_factors[g * d_rows.strips],
                     d_rows.strips,
                     phase64(),
                     phase64::from_turns(step * static_cast<double>(width)));
    }
}

//! The distance of two transformed rows in values. It is no power of two, so that the
//! values of one column do not compete for the same few cache lines.
std::size_t block_transform::row_step() const
{
    constexpr std::size_t line = 8;
    return (divide_up(d_rows.columns, line) | 1) * line;
}

block_transform::memory block_transform::make_memory() const
{
    memory m;
    if (d_rows.rows == 0)
        return m;
    const std::size_t padded = d_rows.strips * d_kernels.width;
    m.spectrum.resize(d_rows.spectrum_size(d_kernels.width));
    m.work.resize(row_work_size(d_rows, d_kernels));
    m.tail.resize(padded);
    m.row.resize(padded);
    m.transformed.resize(rows_together * row_step());
    return m;
}

void block_transform::run(const std::complex<float>* items,
                          memory& m,
                          std::complex<float>* bins) const
{
    if (d_rows.rows == 0) {
        d_forward->execute(items, bins);
        return;
    }
    const std::size_t rows = d_rows.rows;
    const std::size_t columns = d_rows.columns;
    // The last row's last strip reaches beyond the block.
    std::copy_n(items + d_rows.whole * columns, columns, m.tail.begin());
    d_kernels.transform(d_rows,
                        nullptr,
                        as_floats(items),
                        as_floats(m.tail.data()),
                        m.work.data(),
                        m.spectrum.data());

    const std::size_t step = row_step();
    const std::size_t lane_step = 2 * d_kernels.width;
    for (std::size_t g = 0; g < rows; g += rows_together) {
        for (std::size_t i = 0; i < rows_together; i++) {
            const std::size_t row = g + i;
            d_kernels.twiddle_row(m.spectrum.data() + row * d_rows.strips * lane_step,
                                  d_lane_factors.data() + row * lane_step,
                                  as_floats(&d_strip_factors[row * d_rows.strips]),
                                  d_rows.strips,
                                  as_floats(m.row.data()));
            d_forward->execute(m.row.data(), &m.transformed[i * step]);
        }
        const std::complex<float>* from = m.transformed.data();
        std::complex<float>* to = bins + g;
        for (std::size_t h = 0; h < columns; h++, from++, to += rows)
            for (std::size_t i = 0; i < rows_together; i++)
                to[i] = from[i * step];
    }
}

void fill_pair_turns(std::size_t size,
                     std::size_t first,
                     std::size_t count,
                     std::complex<float>* turns)
{
    const auto step = phase64::from_turns(-1.0 / static_cast<double>(size));
    fill_phasors(turns, count, step * first, step);
}

void bins_of_pairs(const std::complex<float>* pairs,
                   std::size_t size,
                   std::size_t first,
                   std::size_t count,
                   const std::complex<float>* turns,
                   std::complex<float>* bins)
{
    // The transforms of the even and the odd items, E and O, are those of the pairs' real
    // and imaginary parts. Bin k is E[k] + turn O[k].
    const std::size_t half = size / 2;
    const auto make = [](std::complex<float> z,
                         std::complex<float> mirrored,
                         std::complex<float> turn) {
        const float even_re = z.real() + mirrored.real();
        const float even_im = z.imag() - mirrored.imag();
        const float odd_re = z.imag() + mirrored.imag();
        const float odd_im = mirrored.real() - z.real();
        return std::complex<float>(
            0.5f * (even_re + turn.real() * odd_re - turn.imag() * odd_im),
            0.5f * (even_im + turn.real() * odd_im + turn.imag() * odd_re));
    };
    for (std::size_t i = 0; i < count;) {
        const std::size_t k = (first + i) % half;
        if (k == 0) {
            bins[i] = make(pairs[0], pairs[0], turns[i]);
            i++;
            continue;
        }
        const std::size_t end = i + std::min(count - i, half - k);
        const std::complex<float>* near = pairs + k;
        const std::complex<float>* far = pairs + (half - k);
        for (; i < end; i++)
            bins[i] = make(*near++, *far--, turns[i]);
    }
}

} // namespace cldsp
