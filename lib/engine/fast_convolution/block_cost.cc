// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The seconds of transforms and folds by their sizes, and of their traffic in memory.

#include "fast_convolution/block_cost.h"

#include "base/arithmetic.h"
#include "direct/host_direct_variant.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/overlap_save.h"
#include "fast_convolution/overlap_save_selective.h"
#include "fft/block_transform.h"
#include "fft/column_transform.h"
#include "fft/inverse_fft_with_rotator.h"
#include "fft/row_transform.h"
#include "fft/selective_transform.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

//! The number of odd prime factors, 3 at most: more of them do not slow a transform
//! further.
int odd_factors(std::size_t size)
{
    constexpr int most = 3;
    int count = 0;
    while (size % 2 == 0)
        size /= 2;
    for (std::size_t factor = 3; factor * factor <= size && count < most; factor += 2)
        for (; size % factor == 0 && count < most; size /= factor)
            count++;
    return size > 1 && count < most ? count + 1 : count;
}

//! Whether a size has a prime factor that FFTW has no code for. It then takes several
//! transforms of another size instead.
bool has_large_prime(std::size_t size)
{
    for (const std::size_t factor : { 2, 3, 5, 7, 11, 13 })
        while (size % factor == 0)
            size /= factor;
    return size > 1;
}

//! Seconds for an item of FFTW's transform of \p size items.
double fftw_item(std::size_t size, const host_rates& rates)
{
    return rates.selected_item * log2_of(size) *
           (1 + rates.odd_factor * odd_factors(size)) *
           (has_large_prime(size) ? rates.large_prime
            : size % 2            ? rates.odd_size
                                  : 1);
}

//! Seconds of a channel's fold, if it folds only the bins that it keeps.
double single_fold_cost(double kept,
                        std::size_t items,
                        std::size_t ifft_size,
                        const host_rates& rates)
{
    return rates.selected_fold *
           std::max(kept * static_cast<double>(items), static_cast<double>(ifft_size));
}

} // namespace

double log2_of(std::size_t size)
{
    return std::log2(static_cast<double>(std::max<std::size_t>(2, size)));
}

std::size_t row_width()
{
    static const std::size_t width = available_row_kernels().front()->width;
    return width;
}

double transform_traffic(double items, double steps, const host_rates& rates)
{
    constexpr double copies = 3; // items, values between the steps, results
    return rates.memory.seconds(steps * items * (value_bytes + written_bytes),
                                copies * items * value_bytes);
}

double block_transform_cost(std::size_t size, const host_rates& rates)
{
    constexpr std::size_t max_fftw = std::size_t(1) << 16; // fast without a grid
    constexpr double grid_steps = 2;                       // columns, then rows
    constexpr double fftw_steps = 3; // FFTW divides large sizes at least twice
    const auto items = static_cast<double>(size);
    if (const std::size_t columns = block_transform::grid_columns(size))
        return (rates.grid_item + fftw_item(columns, rates)) * items +
               transform_traffic(items, grid_steps, rates);
    if (size > max_fftw)
        return std::max(rates.large_item,
                        has_large_prime(size) ? fftw_item(size, rates) : 0) *
                   items +
               transform_traffic(items, fftw_steps, rates);
    return fftw_item(size, rates) * items * (size > near_items ? rates.far_items : 1);
}

double forward_cost(const plan_shape& shape,
                    std::size_t ifft_size,
                    bool gathers,
                    const host_rates& rates)
{
    const std::size_t size = ifft_size * shape.decimation;
    const bool real = !is_complex(shape.input);
    const auto items = static_cast<double>(size);
    const auto columns = [&](std::size_t rows) {
        return gathers ? column_transform::padded_items(ifft_size, rows, row_width()) : 0;
    };
    constexpr double steps = 2; // columns, then rows
    if (real && shape.decimation % 2 == 0 && columns(shape.decimation / 2) > 0)
        return rates.columns_item * static_cast<double>(columns(shape.decimation / 2)) *
                   log2_of(size / 2) +
               rates.split_item * items + transform_traffic(items / 2, steps, rates);
    if (!real && columns(shape.decimation) > 0)
        return rates.columns_item * static_cast<double>(columns(shape.decimation)) *
                   log2_of(size) +
               transform_traffic(items, steps, rates);
    const bool pairs = real && size % 2 == 0;
    const std::size_t values = pairs ? size / 2 : size;
    // Channels that fold alone need only the bins that one of them keeps.
    const double bins =
        gathers ? 1 : std::min(1.0, shape.kept * static_cast<double>(shape.channels));
    if (!gathers && overlap_save_selective::covers(
                        shape.input, shape.decimation, ifft_size, row_width())) {
        const auto count = static_cast<double>(values);
        return rates.selective_item * count *
                   selective_transform::relative_cost(values, row_width()) +
               transform_traffic(count, steps, rates) +
               (pairs ? rates.split_item * items * bins : 0);
    }
    // The items are first converted, or moved to their place in the block. Gathered bins
    // are copied once more.
    const double moves = gathers ? 2 : 1;
    const double transform = block_transform_cost(values, rates) +
                             transform_traffic(static_cast<double>(values), moves, rates);
    if (!pairs)
        return transform;
    return transform + rates.pair_item * items * bins;
}

double inverse_cost(double outputs, std::size_t ifft_size, const host_rates& rates)
{
    // The largest transform whose two steps keep their values in registers.
    constexpr std::size_t inverse_size = 256;
    // The second step of a grid takes whole vectors.
    const std::size_t rows = inverse_passes(ifft_size, row_width()).first;
    const double padding =
        rows ? 0.5 * (1 + static_cast<double>(round_up(rows, row_width())) /
                              static_cast<double>(rows))
             : 1;
    return rows
               ? outputs * rates.inverse_output * padding *
                     (1 + rates.inverse_doubling *
                              std::max(0.0, log2_of(ifft_size) - log2_of(inverse_size)))
               : outputs * (rates.inverse_flop * 5 * log2_of(ifft_size) *
                                (has_large_prime(ifft_size) ? 2 * rates.large_prime : 1) +
                            rates.rotate_output);
}

double
blocks_of_a_thread(const plan_shape& shape, std::size_t items, const host_rates& rates)
{
    const unsigned threads = std::max(1U, shape.threads);
    return static_cast<double>(
               blocks_in_work(shape.channels, threads, items, rates.memory.cache_bytes)) /
           static_cast<double>(threads);
}

double blocks_of_a_gain(const plan_shape& shape,
                        std::size_t items,
                        std::size_t new_items,
                        const host_rates& rates)
{
    const std::size_t of_a_call = divide_up(std::max<std::size_t>(1, shape.items),
                                            std::max<std::size_t>(1, new_items));
    return std::min(blocks_of_a_thread(shape, items, rates),
                    static_cast<double>(of_a_call));
}

double channel_traffic(const plan_shape& shape,
                       double bins,
                       std::size_t items,
                       double kept,
                       double sharing,
                       const gain_shares& gains,
                       const host_rates& rates)
{
    const double gain_bytes = value_bytes / (shape.real_taps ? 2 : 1);
    const double working_set =
        bins * (blocks_of_a_thread(shape, items, rates) * value_bytes +
                static_cast<double>(shape.channels) * kept * gains.stored * gain_bytes);
    return rates.memory.seconds(
        kept * bins * (value_bytes / sharing + gains.read * gain_bytes), working_set);
}

double fold_cost(const plan_shape& shape,
                 std::size_t size,
                 std::size_t ifft_size,
                 double kept,
                 bool gathers,
                 const gain_shares& gains,
                 const host_rates& rates)
{
    const auto items = static_cast<double>(size);
    if (!gathers)
        return single_fold_cost(kept, size, ifft_size, rates) +
               channel_traffic(shape, items, size, kept, 1, gains, rates);
    // Several channels fold whole vectors of bins, which a group of them reads together.
    // Few vectors have no bin that is kept.
    const double vectors = std::min(1.0, 1.5 * kept + 0.28);
    return rates.group_fold * items * vectors +
           channel_traffic(shape, items, size, vectors, fold_members, gains, rates);
}

std::size_t
block_outputs(const plan_shape& shape, std::size_t ifft_size, std::size_t phases)
{
    const std::size_t columns = phases * shape.decimation;
    std::size_t lost = (shape.taps - 1) / columns;
    // The later outputs of a row may need items of the next row.
    if ((shape.taps - 1) % columns + (phases - 1) * shape.decimation >= columns)
        lost++;
    return ifft_size > lost ? (ifft_size - lost) * phases : 0;
}

bool is_smooth(std::size_t size)
{
    for (const std::size_t factor : { 2, 3, 5 })
        while (size % factor == 0)
            size /= factor;
    return size == 1;
}

} // namespace cldsp
