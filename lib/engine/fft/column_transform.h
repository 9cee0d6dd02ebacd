// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The transform of a whole block to gathered bins: down its columns, then along its rows.

#pragma once

#include "base/aligned_vector.h"
#include "fft/row_transform.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp {

//! The layout in which fold_kernel_set::gather() stores the bins of a block: tiles of
//! neighbouring bins, each with a row for each of the bins that fold onto each other.
struct gathered_layout {
    std::size_t bins_per_row;
    std::size_t rows;
    std::size_t tile_rows; //!< rows from the start of a tile to the start of the next
};

/*!
 * Transforms a whole block to gathered bins: transforms down the columns of a grid, then
 * along its rows.
 *
 * The block is a grid of P rows and Q columns. Its columns are transformed first. Row g
 * of the results, multiplied by twiddle factors and transformed, gives the bins k = g + P
 * h. A row of gathered bins is a whole number of times as long as P. With a small
 * decimation that number is larger than 1, so that the Q values of a row fill the
 * vectors.
 */
class column_transform
{
public:
    //! The memory that a transform works in, for one block at a time.
    struct memory {
        aligned_vector<float> spectrum;
        aligned_vector<float> work;
        aligned_vector<std::complex<float>> head, tail;
    };

    //! The number of values that a transform to this number of bins computes, including
    //! the padding of its rows; 0 if kernels of this width do not cover the layout.
    static std::size_t
    padded_items(std::size_t bins_per_row, std::size_t rows, std::size_t width);

    /*!
     * Makes a transform; null if the kernels do not cover the layout.
     *
     * \param half_item whether bin k is to be multiplied by exp(-j pi k / items)
     */
    static std::unique_ptr<column_transform>
    make(const gathered_layout& layout, bool half_item, const row_kernels& kernels);

    memory make_memory() const;
    /*!
     * Transforms one block. Item i of \p items is item \p shift + i of the block, counted
     * round the block's end. The other items of the block are zero, and there are fewer
     * of them than the layout has rows.
     *
     * \param items the first item; it needs no alignment
     * \param shift the position of that item in the block, less than the rows of the
     *        layout
     * \param count the number of items
     * \param work memory from make_memory()
     * \param gathered the bins, in the layout; memory beyond the layout's rows is not
     *        written
     */
    void run(const std::complex<float>* items,
             std::size_t shift,
             std::size_t count,
             memory& work,
             float* gathered) const;

private:
    //! The sizes of the grid and of the two passes along its rows; 0: not covered.
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
