/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_cpu_blocking.h"

#include "base/arithmetic.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <string>

namespace cldsp {

namespace {

// Work-items a compute unit: enough that one which is held up leaves work to the others.
constexpr std::size_t items_per_unit = 8;
// A block of B is packed once for so many tiles at least, or packing would cost too much.
constexpr std::size_t fewest_tiles = 16;
// Terms that a wider block of B should have: a page of memory is visited for a longer
// row.
constexpr std::size_t few_terms = 256;
// What of the local memory may be used: it has to stay in the core's own cache.
constexpr std::size_t max_scratch = 640 * 1024;

void check(const char* name, std::size_t value, std::size_t least, std::size_t most)
{
    if (value < least || value > most)
        throw_invalid(name,
                      std::to_string(value),
                      std::to_string(least) + " to " + std::to_string(most));
}

} // namespace

gemm_cpu_parameters::gemm_cpu_parameters(gemm_type type, std::size_t native_width)
    : width(native_width >= 16  ? 16
            : native_width >= 8 ? 8
                                : 4),
      block_rows(1024),
      block_k(1024)
{
    // AVX-512 and NEON have 32 vector registers, AVX2 and SSE 16.
    const bool many = width != 8;
    const bool is_complex = type == gemm_type::c32;
    rows = is_complex && !many ? 5 : 6;
    vectors = (many ? 4 : 2) / (is_complex ? 2 : 1);
}

gemm_cpu_blocking::gemm_cpu_blocking(gemm_type type,
                                     const gemm_cpu_parameters& parameters,
                                     const device_limits& limits)
    : d_type(type),
      d_parameters(parameters),
      d_local_memory(std::min(limits.local_memory, max_scratch)),
      d_items(items_per_unit * limits.compute_units)
{
    if (parameters.width != 4 && parameters.width != 8 && parameters.width != 16)
        throw_invalid("width", std::to_string(parameters.width), "4, 8 or 16");
    check("rows", parameters.rows, 1, 16);
    check("vectors", parameters.vectors, 1, type == gemm_type::c32 ? 2 : 4);
    check("block_rows", parameters.block_rows, 1, 1 << 20);
    check("block_k", parameters.block_k, 1, 1 << 20);
}

bool gemm_cpu_blocking::has_scratch(const gemm_cpu_parameters& tile) const
{
    constexpr std::size_t min_k = 32;
    return (min_k + fewest_tiles * tile.rows) * tile.panel_floats(d_type) *
               sizeof(float) <=
           d_local_memory;
}

gemm_cpu_parameters gemm_cpu_blocking::tile_for(const gemm_shape& shape) const
{
    auto tile = d_parameters;
    if (shape.n <= 4)
        tile.width = 4;
    constexpr std::size_t few = 2, some = 4;
    if (shape.m <= few)
        tile.rows = std::min(tile.rows, few);
    else if (tile.rows > some && round_up(shape.m, some) < round_up(shape.m, tile.rows))
        // A lower tile loads more for each product, which costs about a fiftieth.
        if (50 * round_up(shape.m, some) <= 49 * round_up(shape.m, tile.rows))
            tile.rows = some;
    return tile;
}

gemm_blocks gemm_cpu_blocking::cut(const gemm_shape& shape,
                                   const gemm_cpu_parameters& tile,
                                   bool packed) const
{
    const std::size_t panel = tile.vectors * tile.width;
    const std::size_t panel_floats = tile.panel_floats(d_type);
    if (!has_scratch(tile)) {
        const std::size_t rows = std::min(shape.m, tile.block_rows);
        return { rows, panel, std::max<std::size_t>(shape.k, 1), 0, 0 };
    }

    const auto even = [](std::size_t all, std::size_t most, std::size_t step) {
        return round_up(divide_up(all, divide_up(all, most)), step);
    };
    gemm_blocks blocks = {};
    const auto fits = [&](std::size_t rows, std::size_t panels, std::size_t k) {
        const std::size_t sums =
            k < shape.k ? divide_up(rows, tile.rows) * panels * tile.rows : tile.rows;
        blocks.sum_floats = sums * panel_floats;
        blocks.packed_floats = packed ? 0 : panels * k * panel_floats;
        return (blocks.sum_floats + blocks.packed_floats) * sizeof(float) <=
               d_local_memory;
    };
    std::size_t k = tile.block_k;
    std::size_t panels = 1;
    std::size_t rows = even(shape.m, round_up(tile.block_rows, tile.rows), tile.rows);
    const std::size_t few_rows = fewest_tiles * tile.rows;
    while (k > 1 && !fits(std::min(rows, few_rows), 1, k))
        k /= 2;
    k = even(std::max<std::size_t>(shape.k, 1), k, 1);
    // A few terms only: as many more columns, so that memory is read along longer rows.
    if (k >= shape.k)
        panels = std::max<std::size_t>(few_terms / k, 1);
    panels = std::min(panels, divide_up(shape.n, panel));
    const auto items = [&] {
        return divide_up(shape.m, rows) * divide_up(shape.n, panels * panel);
    };
    while (panels > 1 && (items() < d_items || !fits(rows, panels, k)))
        panels = divide_up(panels, 2);
    while (rows > few_rows && (items() < d_items || !fits(rows, panels, k)))
        rows = std::max(even(shape.m, divide_up(rows, 2), tile.rows), few_rows);
    fits(rows, panels, k);
    blocks.rows = rows;
    blocks.columns = panels * panel;
    blocks.k = k;
    return blocks;
}

} // namespace cldsp
