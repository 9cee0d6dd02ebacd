// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernels for transforms down the columns of a block, one column in each lane.

#pragma once

#include "base/aligned_vector.h"
#include "simd/split_planes.h"

#include <cldsp/sample_type.h>

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cldsp {

/*!
 * Fourier transforms down the columns of a block. The items of the block lie in rows of
 * `columns` neighbours. Each column is transformed by itself, and neighbouring columns
 * lie in the lanes of a vector. So vectors are loaded and stored whole, and only real and
 * imaginary parts have to be shuffled apart.
 */
struct row_layout {
    std::size_t rows;    //!< rows of a block: first * second
    std::size_t first;   //!< size of the transforms in the first pass
    std::size_t second;  //!< size of the transforms in the second pass
    std::size_t columns; //!< complex items in a row
    std::size_t strips;  //!< vectors of columns in a row; the last one is padded
    std::size_t whole;   //!< rows before this one have all items of their strips; the
                         //!< others are read from \p tail instead of \p items
    std::size_t head;    //!< the number of first rows that are read from other memory: 0
                         //!< or 1
    //! exp(-2 pi j a g / rows), for each a below `second` and each g below `first`
    const float* twiddles;

    //! The number of floats in a transformed block, or in the response of a channel.
    std::size_t spectrum_size(std::size_t width) const
    {
        return rows * strips * 2 * width;
    }
};

/*!
 * An inverse transform of first * second values, computed as a grid with that many rows
 * and columns. The second number is a multiple of the vectors' width.
 */
struct inverse_layout {
    std::size_t first;  //!< one of inverse_firsts
    std::size_t second; //!< one of inverse_seconds
    std::size_t padded; //!< the first number, rounded up to a multiple of the width
    //! exp(-2 pi j g q / (first * second)), as vectors of real and of imaginary parts in
    //! turn: for each vector of values q below `second`, for each g below `first`
    const float* twiddles;
};

/*!
 * The second half of a block's transform, after the columns have been transformed. Each
 * row is multiplied by the twiddle factors exp(-2 pi j b g / items) and transformed,
 * which gives the bins of the block. A tile of rows is transposed first, so that
 * neighbouring rows lie in the lanes, and the transform takes two passes of 1 to 16
 * values.
 */
struct column_layout {
    std::size_t rows;          //!< a multiple of the vectors' width
    std::size_t strips;        //!< vectors in a row; the last one is padded
    std::size_t first;         //!< size of the transforms in the first pass
    std::size_t second;        //!< size of the transforms in the second pass
    const float* tile_factors; //!< twiddle factors for each tile (a vector of rows) and
                               //!< each strip
    const float* lane_factors; //!< twiddle factors for each column, in the order of the
                               //!< lanes
    const std::uint32_t* from; //!< the columns that each transform of the first pass
                               //!< takes
    const float* twiddles;     //!< complex twiddle factors for the results of the first
                               //!< pass; or null
    const std::uint32_t* to;   //!< the position of each result of the second pass in a
                               //!< tile, in floats
    const float* factors;      //!< a complex factor for each of these results; or null
    std::size_t tile_size;     //!< floats from the results of one tile to those of the
                               //!< next
};

/*!
 * The bins of real items from the transform of their pairs. A pair is two adjacent items
 * as the real and imaginary parts of one complex value z.
 *
 * With M bins in a row and Z the transform of all pairs, bin k of the items is
 * a[k] (Z[k] + conj(Z[-k])) + b[k] (Z[k] - conj(Z[-k])), and the bin half a transform
 * further is the difference of the same two products.
 */
struct real_layout {
    std::size_t tiles;     //!< number of vectors in M bins
    std::size_t rows;      //!< rows of the bins of the pairs
    std::size_t tile_rows; //!< rows from one tile to the next among the bins of the items
    const float* a;        //!< planes for each tile and row; null: 1/2
    const float* b;        //!< planes for each tile and row
    bool turned;           //!< whether the difference is multiplied by -j
};

/*!
 * The fold of real items. With R pairs of rows and their transform Z, rows g and R - g of
 * the items' transform A are made of Z[g] and Z[R - g], and rows -g and g - R are the
 * conjugates of those. So each slot, a pair of g and R - g, gives four sums. The first
 * slot has rows 0, R and the two middle rows instead.
 */
struct row_pairs_layout {
    std::size_t pairs;           //!< R, the number of pairs of rows
    std::size_t strips;          //!< vectors in a row; the last one is padded
    const float* twiddles;       //!< exp(-pi j g / R) for each g below R / 2
    const std::uint32_t* places; //!< the place of each sum among split planes
};

//! The numbers of rows and of columns that the grid of an inverse transform may have.
constexpr std::size_t inverse_firsts[] = { 8,  9,  10, 12, 14, 15, 16, 18, 20,
                                           21, 24, 28, 32, 35, 36, 40, 42, 48 };
constexpr std::size_t inverse_seconds[] = { 8, 16, 32 };

//! A factor for each result n of an inverse transform: columns[n % first] rows[n / first]
//! (re + j im).
struct grid_rotation {
    const float* columns; //!< vectors of real and of imaginary parts in turn, for as many
                          //!< values as inverse_layout::padded
    const float* rows;    //!< complex values
    float re, im;
};

//! Pairs of integers that transform_integers() reads.
enum class pair_integers { u8, s8, s16 };

//! Numbers that transform_row_pairs() reads.
enum class real_numbers { f32, s16 };

/*!
 * The kernels as compiled for one instruction set. Spectra and responses consist of
 * aligned vectors of `width` floats: for each row and each strip of it, the real parts
 * and then the imaginary parts (split planes, see simd/split_planes.h).
 */
struct row_kernels {
    const char* name;
    std::size_t width; //!< columns in a strip

    /*!
     * Transforms the columns: row g of the result is sum_a items[a] exp(-2 pi j a g /
     * rows), where items[a] is row a.
     *
     * \param head the first layout.head rows, as complex items without any alignment;
     *        null if layout.head is 0
     * \param items the rows from layout.head up to layout.whole, which it does not
     *        include
     * \param tail the rows from layout.whole on; memory is readable beyond the last row
     *        up to the end of its last strip
     * \param work memory of row_work_size() floats
     */
    void (*transform)(const row_layout& layout,
                      const float* head,
                      const float* items,
                      const float* tail,
                      float* work,
                      float* spectrum);

    /*!
     * As transform(), for items that are pairs of integers: the numbers are converted as
     * they are loaded, and not scaled; the middle of unsigned ones becomes 0. There is no
     * head, and no pointer needs any alignment.
     */
    void (*transform_integers)(const row_layout& layout,
                               pair_integers type,
                               const void* items,
                               const void* tail,
                               float* work,
                               float* spectrum);

    //! The sum of spectrum times response over each row. \p sums are split planes.
    void (*fold)(const row_layout& layout,
                 const float* spectrum,
                 const float* response,
                 float* sums);

    //! The same as transform(), but the rows are laid out as those of a spectrum.
    void (*transform_planes)(const row_layout& layout,
                             const float* values,
                             float* work,
                             float* spectrum);
    /*!
     * Multiplies the values by a response, and transforms the products backwards, that is
     * with exp(+2 pi j a g / rows). The result has its real and imaginary parts
     * exchanged. The following steps can therefore be forward transforms, until
     * transform_to_items() exchanges the parts again.
     */
    void (*filter_planes)(const row_layout& layout,
                          const float* values,
                          const float* response,
                          float* work,
                          float* spectrum);

    /*!
     * Transposes the products of values and twiddle factors. The values, the factors and
     * the result are laid out as spectra; \p rows and \p columns are multiples of the
     * width.
     */
    void (*transpose_twiddled)(const float* values,
                               const float* factors,
                               std::size_t rows,
                               std::size_t columns,
                               float* out);

    /*!
     * As transform_planes(), for the last step after filter_planes(): exchanges the parts
     * again, multiplies each row by its factor, and writes the results \p first to
     * \p first + \p count, row after row, as complex items without any alignment.
     *
     * \param layout rows without padding
     * \param factors a complex factor for each row
     */
    void (*transform_to_items)(const row_layout& layout,
                               const float* values,
                               const float* factors,
                               std::size_t first,
                               std::size_t count,
                               float* work,
                               float* out);

    /*!
     * Transforms the rows of a spectrum, see column_layout.
     *
     * \param spectrum the result of transform()
     * \param work memory of two tiles
     * \param next memory that the caller reads after this call. The kernel fetches it
     *        into the cache, because computing leaves the memory idle
     */
    void (*transform_columns)(const column_layout& layout,
                              const float* spectrum,
                              float* work,
                              float* out,
                              const void* next,
                              std::size_t next_bytes);

    /*!
     * Writes the first \p strips strips of \p values as complex values. Each is
     * multiplied by the factor of its lane and by that of its strip.
     *
     * \param lanes factors of the lanes, as planes
     * \param factors complex factors of the strips
     */
    void (*twiddle_row)(const float* values,
                        const float* lanes,
                        const float* factors,
                        std::size_t strips,
                        float* out);

    //! Makes the bins of the items from \p values, the bins of their pairs, which lie
    //! without room between tiles.
    void (*split_pairs)(const real_layout& layout, const float* values, float* out);
    /*!
     * As transform(), for real items: row a of the layout is a pair of rows of items, the
     * real parts being row 2a and the imaginary parts row 2a + 1. Integers are converted
     * as they are loaded. There is no head, and no pointer needs any alignment.
     */
    void (*transform_row_pairs)(const row_layout& layout,
                                real_numbers type,
                                const void* items,
                                const void* tail,
                                float* work,
                                float* spectrum);
    //! As fold(), for the spectrum of row pairs.
    void (*fold_row_pairs)(const row_pairs_layout& layout,
                           const float* spectrum,
                           const float* response,
                           float* sums);

    //! Writes split planes as complex values.
    //! \param count the number of values, a multiple of the width
    void (*join_planes)(const float* values, std::size_t count, float* out);

    /*!
     * out[n - first] = sum_g values[g] exp(+2 pi j g n / items) times the rotation of
     * result n, for \p count results from n = \p first on.
     *
     * \param values split planes
     * \param work memory for padded * second values
     * \param out complex values without any alignment
     */
    void (*inverse)(const inverse_layout& layout,
                    const float* values,
                    const grid_rotation& rotation,
                    std::size_t first,
                    std::size_t count,
                    float* work,
                    float* out);
};

//! How transform_integers() reads items of a type; nothing: it does not.
std::optional<pair_integers> pair_integers_of(sample_type type);

//! The number of floats in the memory that a transform works in.
std::size_t row_work_size(const row_layout& layout, const row_kernels& kernels);

/*!
 * exp(-2 pi j a g / (first * second)) as complex values: for each a below `second`, for
 * each g below `first`.
 */
aligned_vector<float> row_twiddles(std::size_t first, std::size_t second);

//! The four rows of the items' transform to which the four sums of a slot belong, in the
//! order of the sums.
//! \param slot the slot, below half of \p pairs
//! \param pairs the number of row pairs, R in row_pairs_layout
std::array<std::size_t, 4> rows_of_slot(std::size_t slot, std::size_t pairs);

//! These two functions append \p width complex values as a vector of real parts and a
//! vector of imaginary parts: append_split() in the order of split_lane(),
//! append_planes() as they come.
void append_split(const std::complex<float>* values,
                  std::size_t width,
                  aligned_vector<float>& out);
void append_planes(const std::complex<float>* values,
                   std::size_t width,
                   aligned_vector<float>& out);

//! The sizes of both passes for a number of rows. Powers of two from 16 to 1024 are
//! covered; for any other number both sizes are 0.
struct row_passes {
    std::size_t first, second;
};
row_passes passes_of(std::size_t rows);
//! The sizes of the grid of an inverse transform, for kernels of this width; both are 0
//! for a size that no grid covers.
row_passes inverse_passes(std::size_t size, std::size_t width);

/*!
 * The number of outputs that a row of the transform should give. With a small decimation
 * a row holds the samples of several outputs, so that it fills the vectors. But each of
 * these outputs costs a sum over the whole row.
 *
 * \param real_items whether the items are real, whose transforms cost half as much
 */
std::size_t row_phases(std::size_t decimation, bool real_items, std::size_t width);

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const row_kernels*> available_row_kernels();

} // namespace cldsp
