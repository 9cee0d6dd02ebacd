/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/aligned_vector.h"
#include "simd/split_planes.h"

#include <complex>
#include <cstddef>
#include <cstdint>
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
    std::size_t whole;   //!< rows before this one can be read to the end of their strips
    std::size_t head;    //!< the first rows, if they are read elsewhere: 0 or 1
    //! exp(-2 pi j a g / rows), for each a below `second` and each g below `first`
    const float* twiddles;

    //! Floats of a transformed block, or of a channel's response.
    std::size_t spectrum_size(std::size_t width) const
    {
        return rows * strips * 2 * width;
    }
};

/*!
 * An inverse transform of first * second values as a grid of as many rows and columns,
 * both multiples of the vectors' width.
 */
struct inverse_layout {
    std::size_t first;
    std::size_t second;
    //! exp(-2 pi j g q / (first * second)): for each vector of q below `second`, for each
    //! g below `first`, split planes
    const float* twiddles;
};

/*!
 * The bins of a whole block from its columns' transforms: of each row, times the
 * twiddles exp(-2 pi j b g / items), a transform along the row. It goes down columns too,
 * with neighbouring rows in the lanes, as two passes of 1 to 16 values.
 */
struct column_layout {
    std::size_t rows;          //!< a multiple of the vectors' width
    std::size_t strips;        //!< of a row, the last one padded
    std::size_t first;         //!< size of the first pass's transforms
    std::size_t second;        //!< and of the second's
    const float* tile_factors; //!< for each vector of rows and each strip
    const float* lane_factors; //!< for each column, in the lanes' order
    const std::uint32_t* from; //!< columns of each transform of the first pass
    const float* twiddles;     //!< of its results, complex; or null
    const std::uint32_t* to;   //!< place of each result of the second pass in a tile
    const float* factors;      //!< of each, complex; or null
    std::size_t tile_size;     //!< floats from a tile's results to the next one's
};

//! A factor of each result n of an inverse transform: columns[n % first] rows[n / first]
//! times a common one.
struct grid_rotation {
    const float* columns; //!< split planes
    const float* rows;    //!< complex
    float re, im;
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
     * \param head the first layout.head rows, complex, without any alignment; null for 0
     * \param items the rows from there on, below layout.whole
     * \param tail the rows from there on, with as much memory behind as a strip reads
     * \param work memory of row_work_size() floats
     */
    void (*transform)(const row_layout& layout,
                      const float* head,
                      const float* items,
                      const float* tail,
                      float* work,
                      float* spectrum);

    //! The sum over each row of spectrum times response: \p sums are split planes.
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
     * Transposes values times factors, the twiddles. All are laid out as spectra are;
     * \p rows and \p columns are multiples of the width.
     */
    void (*transpose_twiddled)(const float* values,
                               const float* factors,
                               std::size_t rows,
                               std::size_t columns,
                               float* out);

    //! Complex items from the \p first on, of planes that filter_planes() exchanged.
    void (*interleave)(const float* values,
                       std::size_t first,
                       std::size_t count,
                       float* out);

    /*!
     * \param spectrum what transform() made
     * \param work memory of two tiles
     * \param next memory that the caller reads next: fetched into the cache meanwhile, as
     *        computing leaves the memory idle otherwise
     */
    void (*transform_columns)(const column_layout& layout,
                              const float* spectrum,
                              float* work,
                              float* out,
                              const void* next,
                              std::size_t next_bytes);

    //! Complex values of split planes. \param count a multiple of the width
    void (*join_planes)(const float* values, std::size_t count, float* out);

    /*!
     * sum_g values[g] exp(+2 pi j g n / items) times the rotation, for \p count n from
     * \p first on.
     *
     * \param values split planes
     * \param work memory for as many values
     * \param out complex, without any alignment
     */
    void (*inverse)(const inverse_layout& layout,
                    const float* values,
                    const grid_rotation& rotation,
                    std::size_t first,
                    std::size_t count,
                    float* work,
                    float* out);
};

//! Floats of memory that a transform works in.
std::size_t row_work_size(const row_layout& layout, const row_kernels& kernels);

/*!
 * exp(-2 pi j a g / (first * second)), for each a below `second` and each g below
 * `first`, side by side.
 */
aligned_vector<float> row_twiddles(std::size_t first, std::size_t second);

//! Appends \p width complex values as split planes, or with the lanes in their own order.
void append_split(const std::complex<float>* values,
                  std::size_t width,
                  aligned_vector<float>& out);
void append_planes(const std::complex<float>* values,
                   std::size_t width,
                   aligned_vector<float>& out);

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
