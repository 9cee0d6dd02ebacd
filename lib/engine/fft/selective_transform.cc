// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the grid of a large block by the times of the passes, and makes its roots.

#include "fft/selective_transform.h"

#include "base/arithmetic.h"
#include "fft/row_transform.h"
#include "simd/dispatch.h"
#include "simd/split_planes.h"

#include <cldsp/phase.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <iterator>

namespace cldsp {

CLDSP_DECLARE_KERNELS(selective_kernels, selective_transforms)

std::vector<const selective_kernels*> available_selective_kernels()
{
    return runnable_kernels<selective_kernels>(CLDSP_KERNEL_SETS(selective_transforms));
}

namespace {

// The time of a pass for a value, relative to that of a pass of size 16. The times were
// measured with AVX-512, in the order of selective_passes; those with AVX2 are similar.
constexpr double pass_costs[] = { 0.77, 0.91, 0.87, 1.32, 1.00, 1.20, 1.28,
                                  1.32, 1.50, 1.39, 1.60, 1.52, 1.75 };
static_assert(std::size(pass_costs) == std::size(selective_passes), "one for each");

double relative_time(std::size_t pass)
{
    const auto at =
        std::find(std::begin(selective_passes), std::end(selective_passes), pass);
    return pass_costs[at - std::begin(selective_passes)];
}

// The rest of the time for a value: its ways through the memory and its transposition.
constexpr double rest_cost = 2;

//! exp(-2 pi j numerator / denominator)
std::complex<double> root(std::size_t numerator, std::size_t denominator)
{
    const double turns =
        static_cast<double>(numerator % denominator) / static_cast<double>(denominator);
    return phase64::from_turns(-turns).phasor();
}

void append(std::complex<double> value, aligned_vector<float>& out)
{
    out.push_back(static_cast<float>(value.real()));
    out.push_back(static_cast<float>(value.imag()));
}

} // namespace

selective_transform::shape selective_transform::find_shape(std::size_t size,
                                                           std::size_t width)
{
    shape best;
    using sizes = selective_sizes;
    constexpr std::size_t most = selective_passes[std::size(selective_passes) - 1];
    const auto each_pass =
        [](const auto& passes, std::size_t values, std::size_t max_left, auto&& use) {
            for (const std::size_t pass : passes)
                if (values % pass == 0 && values / pass <= max_left)
                    use(pass, relative_time(pass));
        };
    if (size == 0)
        return best;
    each_pass(sizes::first, size, most * most * most, [&](std::size_t a, double a_cost) {
        each_pass(
            sizes::second, size / a, most * most, [&](std::size_t b, double b_cost) {
                const std::size_t rows = a * b;
                if (rows % width != 0)
                    return;
                const std::size_t columns = size / rows;
                const double padding = static_cast<double>(round_up(columns, width)) /
                                       static_cast<double>(columns);
                each_pass(
                    sizes::row_first, columns, most, [&](std::size_t c, double c_cost) {
                        each_pass(sizes::row_second,
                                  columns / c,
                                  1,
                                  [&](std::size_t d, double d_cost) {
                                      const double cost =
                                          (a_cost + b_cost + rest_cost) * padding +
                                          c_cost + d_cost;
                                      if (best.cost == 0 || cost < best.cost)
                                          best = { { a, b, c, d }, cost };
                                  });
                    });
            });
    });
    return best;
}

double selective_transform::relative_cost(std::size_t size, std::size_t width)
{
    constexpr double usual = 4 + rest_cost;
    return find_shape(size, width).cost / usual;
}

std::unique_ptr<selective_transform> selective_transform::make(
    std::size_t size, const placement& items, const selective_kernels& kernels)
{
    const shape sizes = find_shape(size, kernels.width);
    if (sizes.cost == 0)
        return nullptr;
    return std::unique_ptr<selective_transform>(
        new selective_transform(sizes, items, kernels));
}

selective_transform::selective_transform(const shape& sizes,
                                         const placement& items,
                                         const selective_kernels& kernels)
    : d_kernels(kernels), d_items(items)
{
    const std::size_t width = kernels.width;
    // A lambda of C++17 cannot capture a structured binding.
    const std::size_t first = sizes.passes[0], second = sizes.passes[1];
    const std::size_t row_first = sizes.passes[2], row_second = sizes.passes[3];
    const std::size_t rows = first * second;
    const std::size_t columns = row_first * row_second;
    const std::size_t size = rows * columns;
    d_twiddles = row_twiddles(first, second);
    d_row_twiddles = row_twiddles(row_first, row_second);

    d_layout.rows = rows;
    d_layout.first = first;
    d_layout.second = second;
    d_layout.columns = columns;
    d_layout.row_first = row_first;
    d_layout.row_second = row_second;
    d_layout.strips = divide_up(columns, width);
    // Bands are one vector further apart than needed, so that the values that a strip
    // stores do not compete for the same few lines of the cache.
    d_layout.band_step = (d_layout.strips * width + 1) * 2 * width;

    for (std::size_t r = 0; r < rows; r++)
        d_row_places.push_back(static_cast<std::uint32_t>(r / width * d_layout.band_step +
                                                          r % width * 2 * width));
    // The padding has a place of its own behind the columns.
    for (std::size_t c = 0; c < d_layout.strips * width; c++)
        d_column_places.push_back(static_cast<std::uint32_t>(
            (std::min(c, columns) + std::min(c, columns) / row_second) * 2 * width));

    const auto each_column = [&](const auto& use) {
        for (std::size_t j = 0; j < row_first; j++)
            use(j * row_second);
        for (std::size_t i = 0; i < row_second; i++)
            use(i);
    };
    for (std::size_t r = 0; r < rows; r += width)
        each_column([&](std::size_t c) { append(root(c * r, size), d_band_factors); });
    std::vector<std::complex<float>> lanes(width);
    each_column([&](std::size_t c) {
        for (std::size_t i = 0; i < width; i++)
            lanes[i] = std::complex<float>(root(c * split_lane(i, width), size));
        append_planes(lanes.data(), width, d_lane_factors);
    });

    d_layout.twiddles = d_twiddles.data();
    d_layout.row_twiddles = d_row_twiddles.data();
    d_layout.row_places = d_row_places.data();
    d_layout.column_places = d_column_places.data();
    d_layout.band_factors = d_band_factors.data();
    d_layout.lane_factors = d_lane_factors.data();
}

selective_transform::selection
selective_transform::select(const std::vector<std::int32_t>& places) const
{
    const std::size_t bands = d_layout.rows / d_kernels.width;
    const std::size_t row_first = d_layout.row_first, row_second = d_layout.row_second;
    selection result;
    result.bands.resize(bands);
    result.used.resize(bands * row_first);
    result.places.resize(places.size());
    // Bin g + rows h is result h / row_first of the transform h % row_first of row g.
    for (std::size_t tile = 0; tile < places.size(); tile++) {
        const std::size_t band = tile % bands;
        const std::size_t h = tile / bands;
        const std::size_t transform = band * row_first + h % row_first;
        result.places[transform * row_second + h / row_first] = places[tile];
        if (places[tile] >= 0) {
            result.used[transform] = 1;
            result.bands[band] = 1;
        }
    }
    return result;
}

std::size_t selective_transform::value_bytes() const
{
    return d_items.format == pair_format::s16 ? 2 * sizeof(std::int16_t)
                                              : 2 * sizeof(float);
}

//! The bytes of a row with the padding of its last strip.
std::size_t selective_transform::padded_bytes() const
{
    return d_layout.strips * d_kernels.width * value_bytes();
}

//! Whether a row has values, with its padding, that are not in the caller's memory.
bool selective_transform::is_edge(std::size_t row) const
{
    const std::size_t begin = row * row_bytes();
    return begin < d_items.shift ||
           begin + padded_bytes() > d_items.shift + d_items.bytes;
}

selective_transform::memory selective_transform::make_memory() const
{
    const std::size_t vector = 2 * d_kernels.width;
    std::size_t edges = 0;
    for (std::size_t r = 0; r < d_layout.rows; r++)
        edges += is_edge(r);
    const auto work_of = [&](std::size_t first, std::size_t second) {
        return first * (second + 1) * vector;
    };
    memory m;
    m.rows.resize(d_layout.rows);
    m.edges.resize(edges * padded_bytes());
    m.work.resize(std::max(work_of(d_layout.first, d_layout.second),
                           work_of(d_layout.row_first, d_layout.row_second) + vector));
    m.factors.resize((d_layout.row_first + d_layout.row_second) * vector);
    m.between.resize(d_layout.rows / d_kernels.width * d_layout.band_step);
    return m;
}

//! Copies the values of a row, whose other bytes are zero.
void selective_transform::copy_edge(const char* items, std::size_t row, char* to) const
{
    const std::size_t begin = row * row_bytes(), end = begin + row_bytes();
    const std::size_t block = d_layout.rows * row_bytes();
    std::memset(to, 0, padded_bytes());
    // The items before the block's end, and those that wrap round it.
    const std::size_t direct = std::min(d_items.bytes, block - d_items.shift);
    const auto copy = [&](std::size_t from, std::size_t place, std::size_t bytes) {
        const std::size_t first = std::max(begin, place);
        const std::size_t last = std::min(end, place + bytes);
        if (first < last)
            std::memcpy(
                to + (first - begin), items + from + (first - place), last - first);
    };
    copy(0, d_items.shift, direct);
    copy(direct, 0, d_items.bytes - direct);
}

void selective_transform::run(const void* items,
                              memory& m,
                              const selection& selected,
                              float* bins) const
{
    const auto* const data = static_cast<const char*>(items);
    char* edge = m.edges.data();
    for (std::size_t r = 0; r < d_layout.rows; r++) {
        if (is_edge(r)) {
            copy_edge(data, r, edge);
            m.rows[r] = edge;
            edge += padded_bytes();
        } else {
            m.rows[r] = data + (r * row_bytes() - d_items.shift);
        }
    }
    const std::size_t width = d_kernels.width;
    const std::size_t strip = width * value_bytes();
    for (std::size_t s = 0; s < d_layout.strips; s++)
        d_kernels.columns(d_layout,
                          d_items.format,
                          m.rows.data(),
                          s * strip,
                          (s + 1) * strip,
                          m.work.data(),
                          m.between.data() + s * width * 2 * width);
    for (std::size_t b = 0; b < selected.bands.size(); b++) {
        if (!selected.bands[b])
            continue;
        const float* const band = m.between.data() + b * d_layout.band_step;
        const std::size_t transform = b * d_layout.row_first;
        d_kernels.rows(d_layout,
                       b,
                       band,
                       band + d_layout.band_step,
                       m.work.data(),
                       m.factors.data(),
                       &selected.used[transform],
                       &selected.places[transform * d_layout.row_second],
                       bins);
    }
}

} // namespace cldsp
