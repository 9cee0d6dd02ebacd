/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save_methods.h"

#include "fft/row_transform.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

constexpr std::size_t min_rows = 64;
constexpr std::size_t min_items = 1024;
constexpr std::size_t max_rows = std::size_t(1) << 22;

} // namespace

const std::vector<overlap_save_method>& overlap_save_methods()
{
    static const auto& methods = *new std::vector<overlap_save_method>{
        { "rows",
          make_overlap_save_rows,
          [](std::size_t, std::size_t rows) { return passes_of(rows).first != 0; },
          0.6,
          0.15 },
        { "grid",
          make_overlap_save_grid,
          [](std::size_t decimation, std::size_t rows) {
              return decimation == 1 && covers_grid(rows);
          },
          1.2,
          1.5 },
        { "bins",
          make_overlap_save_bins,
          [](std::size_t, std::size_t rows) { return rows > 0 && rows <= max_rows; },
          1.3,
          0.06 },
    };
    return methods;
}

const overlap_save_method* find_overlap_save_method(const std::string& name)
{
    for (const auto& method : overlap_save_methods())
        if (method.name == name)
            return &method;
    return nullptr;
}

std::unique_ptr<overlap_save> make_blocks(const overlap_save_method& method,
                                          overlap_save_shape shape)
{
    if (shape.rows != 0) {
        try {
            auto blocks = method.make(shape);
            if (2 * blocks->block_outputs() * shape.decimation >= shape.reach)
                return blocks;
        } catch (const std::invalid_argument&) {
            if (!method.covers(shape.decimation, shape.rows))
                throw;
        }
    }
    std::unique_ptr<overlap_save> blocks;
    std::size_t rows = min_rows;
    while (rows * shape.decimation < min_items)
        rows *= 2;
    for (; rows <= max_rows; rows *= 2) {
        if (!method.covers(shape.decimation, rows))
            continue;
        shape.rows = rows;
        try {
            blocks = method.make(shape);
        } catch (const std::invalid_argument&) {
            continue; // all of it would be overlap
        }
        if (blocks->block_outputs() * shape.decimation >= 3 * shape.reach)
            break;
    }
    if (!blocks)
        throw_invalid("variant",
                      "'" + method.name + "'",
                      "one that covers decimation " + std::to_string(shape.decimation) +
                          " and " + std::to_string(shape.reach) + " taps");
    return blocks;
}

} // namespace cldsp
