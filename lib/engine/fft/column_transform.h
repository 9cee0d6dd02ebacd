/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/aligned_vector.h"
#include "fft/row_transform.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp {

//! Where fold_kernel_set::gather() puts bins.
struct gathered_layout {
    std::size_t bins_per_row;
    std::size_t rows;
    std::size_t tile_rows; //!< from a tile to the next
};

/*!
 * The transform of a whole block to gathered bins, on transforms down the rows of a grid.
 *
 * Bin k = g + P h of a block of P rows and Q columns is the transform along row g of its
 * columns' transforms, times twiddles. A row of the bins that are folded is a whole
 * number of times as long as P; where decimation is small, that fills the vectors of a
 * row.
 */
class column_transform
{
public:
    //! Memory of one block in work.
    struct memory {
        aligned_vector<float> spectrum;
        aligned_vector<float> work;
        aligned_vector<std::complex<float>> head, tail;
    };

    //! The values that a transform of as many bins takes, its rows' padding included;
    //! 0 where kernels of this width do not cover them.
    static std::size_t
    padded_items(std::size_t bins_per_row, std::size_t rows, std::size_t width);

    /*!
     * Null where the kernels do not cover the layout.
     *
     * \param half_item whether bin k is to be multiplied by exp(-j pi k / items)
     */
    static std::unique_ptr<column_transform>
    make(const gathered_layout& layout, bool half_item, const row_kernels& kernels);

    memory make_memory() const;
    /*!
     * \param items \p count of the block's, from its item \p shift on, going round; the
     *        others, fewer than there are rows of bins, are zero. Without any alignment
     * \param shift below the rows of bins
     * \param gathered of the layout; what lies beyond its rows is left as it is
     */
    void run(const std::complex<float>* items,
             std::size_t shift,
             std::size_t count,
             memory& work,
             float* gathered) const;

private:
    //! Sizes of the passes; 0: not covered.
    struct shape {
        std::size_t rows = 0, columns = 0;
        std::size_t first = 0, second = 0;
    };
    static shape
    find_shape(std::size_t bins_per_row, std::size_t rows, std::size_t width);
    static shape with_passes(std::size_t rows, std::size_t columns);

    column_transform(const gathered_layout& layout,
                     const shape& sizes,
                     bool half_item,
                     const row_kernels& kernels);
    void set_passes(const gathered_layout& layout, bool half_item);
    void set_factors(bool half_item);

    const row_kernels& d_kernels;
    const shape d_shape;
    row_layout d_rows = {};
    column_layout d_columns = {};
    aligned_vector<float> d_row_twiddles;
    aligned_vector<float> d_tile_factors, d_lane_factors;
    std::vector<std::uint32_t> d_from, d_to;
    std::vector<std::complex<float>> d_twiddles, d_factors;
};

} // namespace cldsp
