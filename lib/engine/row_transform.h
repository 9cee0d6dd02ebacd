/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "aligned_vector.h"

#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * Fourier transforms down the rows of a block: items lie in rows of `columns`
 * neighbours, and each column is transformed by itself, with the columns of a row in the
 * lanes of vectors. So vectors are loaded and stored whole, and nothing is shuffled but
 * real and imaginary parts.
 */
struct row_layout {
    std::size_t rows;    //!< of a block: first * second
    std::size_t first;   //!< size of the first pass's transforms
    std::size_t second;  //!< and of the second's
    std::size_t columns; //!< complex items of a row
    std::size_t strips;  //!< vectors of columns in a row, the last one padded
    std::size_t whole;   //!< rows that can be read to the end of their last strip
    //! exp(-2 pi j a g / rows), for each a below `second` and each g below `first`
    const float* twiddles;

    //! Floats of a transformed block, or of a channel's response.
    std::size_t spectrum_size(std::size_t width) const
    {
        return rows * strips * 2 * width;
    }
};

/*!
 * The kernels as compiled for one instruction set. Spectra and responses are vectors of
 * `width` floats, aligned: for each row, for each strip, the real and the imaginary
 * parts.
 */
struct row_kernels {
    const char* name;
    std::size_t width; //!< columns of a strip

    /*!
     * Transforms the rows: sum_a items[a] exp(-2 pi j a g / rows) for each row g.
     *
     * \param items rows below layout.whole, complex, without any alignment
     * \param tail the rows from there on, with as much memory behind as a strip reads
     * \param work memory of row_work_size() floats
     */
    void (*transform)(const row_layout& layout,
                      const float* items,
                      const float* tail,
                      float* work,
                      float* spectrum);

    //! The sum over each row of spectrum times response: \p sums are complex.
    void (*fold)(const row_layout& layout,
                 const float* spectrum,
                 const float* response,
                 float* sums);

    //! As transform(), of rows that are laid out as spectra are.
    void (*transform_planes)(const row_layout& layout,
                             const float* values,
                             float* work,
                             float* spectrum);
    /*!
     * The same of the values' products with a response, backwards: with
     * exp(+2 pi j a g / rows), and with real and imaginary parts exchanged in the result.
     * What follows then stays a transform forwards until interleave().
     */
    void (*filter_planes)(const row_layout& layout,
                          const float* values,
                          const float* response,
                          float* work,
                          float* spectrum);

    /*!
     * Makes columns of rows, of values times factors. All are laid out as spectra are;
     * \p rows and \p columns are multiples of the width.
     */
    void (*turn_over)(const float* values,
                      const float* factors,
                      std::size_t rows,
                      std::size_t columns,
                      float* out);

    //! Complex items from the \p first on, of planes that filter_planes() exchanged.
    void (*interleave)(const float* values,
                       std::size_t first,
                       std::size_t count,
                       float* out);
};

//! Floats of memory that a transform works in.
std::size_t row_work_size(const row_layout& layout, const row_kernels& kernels);

/*!
 * exp(-2 pi j a g / (first * second)), for each a below `second` and each g below
 * `first`, side by side.
 */
aligned_vector<float> row_twiddles(std::size_t first, std::size_t second);

//! The sizes of both passes for a number of rows; 0 for one that is not covered: powers
//! of two from 16 to 1024 are.
struct row_passes {
    std::size_t first, second;
};
row_passes passes_of(std::size_t rows);

/*!
 * Outputs that a row of the transform shall give. A small decimation has several of its
 * steps in a row, to fill the vectors; but each output costs a sum over the whole row.
 */
std::size_t row_phases(std::size_t decimation, std::size_t width);

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const row_kernels*> available_row_kernels();

} // namespace cldsp
