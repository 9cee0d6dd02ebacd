// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Transforms pairs of real items as complex values, and separates their bins.

#include "fft/real_column_transform.h"

#include "simd/samples.h"

#include <cldsp/phase.h>

#include <complex>
#include <utility>
#include <vector>

namespace cldsp {

std::unique_ptr<real_column_transform> real_column_transform::make(
    const gathered_layout& layout, bool half_item, const row_kernels& kernels)
{
    if (layout.rows % 2 != 0)
        return nullptr;
    const std::size_t rows = layout.rows / 2;
    auto pairs =
        column_transform::make({ layout.bins_per_row, rows, rows }, false, kernels);
    if (!pairs)
        return nullptr;
    return std::unique_ptr<real_column_transform>(
        new real_column_transform(layout, std::move(pairs), half_item, kernels));
}

real_column_transform::real_column_transform(const gathered_layout& layout,
                                             std::unique_ptr<column_transform> pairs,
                                             bool half_item,
                                             const row_kernels& kernels)
    : d_kernels(kernels),
      d_size(layout.bins_per_row * layout.rows),
      d_pairs(std::move(pairs))
{
    const std::size_t width = kernels.width;
    const auto size = static_cast<double>(d_size);
    d_layout.tiles = layout.bins_per_row / width;
    d_layout.rows = layout.rows / 2;
    d_layout.tile_rows = layout.tile_rows;
    d_layout.turned = half_item;

    // Factors of tiles and rows, exp(-2 pi j turns k / size) / divisor for each bin k.
    const auto fill = [&](double turns, std::complex<double> divisor, auto& out) {
        std::vector<std::complex<float>> values(width);
        for (std::size_t t = 0; t < d_layout.tiles; t++)
            for (std::size_t r = 0; r < d_layout.rows; r++) {
                for (std::size_t i = 0; i < width; i++) {
                    const auto k = static_cast<double>(t * width + split_lane(i, width) +
                                                       r * layout.bins_per_row);
                    values[i] = std::complex<float>(
                        phase64::from_turns(-turns * k / size).phasor() / divisor);
                }
                append_planes(values.data(), width, out);
            }
    };
    // Half an item's delay turns both products.
    const double delay = half_item ? 0.5 : 0.0;
    fill(1 + delay, { 0, 2 }, d_b);
    d_layout.b = d_b.data();
    if (half_item) {
        fill(delay, 2, d_a);
        d_layout.a = d_a.data();
    }
}

real_column_transform::memory real_column_transform::make_memory() const
{
    memory m;
    m.pairs = d_pairs->make_memory();
    m.items.resize(d_size + 2);
    m.values.resize(d_size); // half as many, complex
    return m;
}

void real_column_transform::run(const void* items,
                                sample_type type,
                                std::size_t shift,
                                std::size_t count,
                                memory& m,
                                float* gathered) const
{
    // Pairs begin at even places of the block: the first may lack its first item, and the
    // last its second one.
    const std::size_t skipped = shift % 2;
    float* const pairs = m.items.data();
    pairs[0] = 0;
    convert_to_floats(items, type, pairs + skipped, count);
    std::size_t end = skipped + count;
    if (end > d_size) {
        // A full block wraps round its end: its last item is the first item of the first
        // pair.
        pairs[0] = pairs[d_size];
        end = d_size;
    }
    pairs[end] = 0;
    d_pairs->run(reinterpret_cast<const std::complex<float>*>(pairs),
                 shift / 2,
                 (end + 1) / 2,
                 m.pairs,
                 m.values.data());
    d_kernels.split_pairs(d_layout, m.values.data(), gathered);
}

} // namespace cldsp
