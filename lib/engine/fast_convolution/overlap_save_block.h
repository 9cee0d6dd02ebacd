/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>

namespace cldsp {

/*!
 * The sizes of an overlap-save block: a transform of `length` items, folded to `rows`
 * values at the decimated rate, the first `lost` of which the overlap makes invalid.
 *
 * Output i of a block has item reach - 1 + i D of the block as its newest one. That is
 * value lost + i of the inverse transform, if the taps lie `shift` items earlier.
 */
struct overlap_save_block {
    overlap_save_block() = default;
    overlap_save_block(std::size_t decimation_, std::size_t reach_, std::size_t rows_)
        : decimation(decimation_),
          reach(reach_),
          rows(rows_),
          length(decimation * rows),
          lost((reach - 1) / decimation),
          shift((reach - 1) % decimation)
    {
    }
    std::size_t outputs() const { return rows - lost; }

    std::size_t decimation = 1;
    std::size_t reach = 1; //!< taps of the longest filter
    std::size_t rows = 1;  //!< more than lost
    std::size_t length = 1, lost = 0, shift = 0;
};

} // namespace cldsp
