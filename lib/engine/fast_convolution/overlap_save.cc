/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/overlap_save.h"

#include "fast_convolution/overlap_save_simd.h"
#include "fft/row_transform.h"
#include "simd/dispatch.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace cldsp {

CLDSP_DECLARE_KERNELS(overlap_save_kernels, fold_kernels)

std::vector<const overlap_save_kernels*> available_overlap_save_kernels()
{
    return runnable_kernels<overlap_save_kernels>(CLDSP_KERNEL_SETS(fold_kernels));
}

namespace {

// Of a block: far beyond any size that pays.
constexpr std::size_t max_items = std::size_t(1) << 24;

// Sizes that are tried where none is given.
constexpr std::size_t min_rows = 64;
constexpr std::size_t min_items = 1024;
constexpr std::size_t max_rows = std::size_t(1) << 22;

} // namespace

void overlap_save_shape::check() const
{
    const auto at_least_one = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    at_least_one("decimation", decimation);
    at_least_one("reach", reach);
    at_least_one("channels", channels);
    at_least_one("rows", rows);
    const std::size_t most = max_items / decimation;
    if (rows > most)
        throw_invalid("rows",
                      std::to_string(rows),
                      "at most " + std::to_string(most) + " at decimation " +
                          std::to_string(decimation));
    if (!(accuracy >= 0 && accuracy <= 0.1))
        throw_invalid("accuracy", std::to_string(accuracy), "from 0 to 0.1");
}

void overlap_save_shape::check_channel(std::size_t channel,
                                       const filter_channel& setup) const
{
    if (channel >= channels)
        throw_invalid(
            "channel", std::to_string(channel), "below " + std::to_string(channels));
    if (setup.taps() > reach)
        throw_invalid("taps",
                      std::to_string(setup.taps()) + " taps",
                      "at most " + std::to_string(reach));
}

const std::vector<overlap_save_method>& overlap_save_methods()
{
    static const auto& methods = *new std::vector<overlap_save_method>{
        { "rows",
          make_overlap_save_rows,
          [](std::size_t, std::size_t rows) { return passes_of(rows).first != 0; } },
        { "grid",
          make_overlap_save_grid,
          [](std::size_t decimation, std::size_t rows) {
              return decimation == 1 && covers_grid(rows);
          } },
        { "bins",
          make_overlap_save_bins,
          [](std::size_t, std::size_t rows) { return rows > 0 && rows <= max_rows; } },
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
                                          overlap_save_shape& shape)
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
    overlap_save_shape larger = shape;
    larger.rows = min_rows;
    while (larger.rows * shape.decimation < min_items)
        larger.rows *= 2;
    for (; larger.rows <= max_rows; larger.rows *= 2) {
        if (!method.covers(shape.decimation, larger.rows))
            continue;
        try {
            blocks = method.make(larger);
        } catch (const std::invalid_argument&) {
            continue; // all of it would be overlap
        }
        shape.rows = larger.rows;
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
