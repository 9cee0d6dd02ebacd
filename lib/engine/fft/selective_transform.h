// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The transform of a large block that computes only the bins that are kept.

#pragma once

#include "base/aligned_vector.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace cldsp {

//! How the complex values of a block lie in memory: pairs of 16-bit integers, which are
//! not scaled, or of floats. Two neighbouring real items are such a pair, too.
enum class pair_format { s16, f32 };

//! The sizes of the transforms that a pass of a selective_transform can take.
constexpr std::size_t selective_passes[] = { 8,  10, 12, 15, 16, 18, 20,
                                             24, 30, 32, 36, 40, 48 };

//! Those that the two passes of the columns and the two of the rows do take. Blocks of
//! 40960 to 2^22 values that the passes above could divide have a division into these
//! that costs no more.
struct selective_sizes {
    static constexpr std::size_t first[] = { 10, 12, 16, 18, 30, 32, 36, 40 };
    static constexpr std::size_t second[] = { 10, 12, 16, 18, 20, 30, 32, 36, 40, 48 };
    static constexpr std::size_t row_first[] = { 10, 12, 15, 16, 18, 30, 32, 36, 40, 48 };
    static constexpr std::size_t row_second[] = {
        15, 16, 18, 20, 24, 30, 32, 36, 40, 48
    };
};

/*!
 * The grid of a selective_transform. A block is a grid of rows of `columns` neighbouring
 * values. A strip is a vector of neighbouring columns. A band is a vector of neighbouring
 * rows of the transformed columns.
 */
struct selective_layout {
    std::size_t rows, first, second; //!< the columns' passes; rows = first * second
    std::size_t columns, row_first, row_second; //!< the same for the rows' passes
    std::size_t strips;                         //!< the last one is padded
    std::size_t band_step;     //!< floats from a band to the next one between the stages
    const float* twiddles;     //!< of the columns, see row_twiddles()
    const float* row_twiddles; //!< of the rows
    //! The place of each row of the first stage's results, in floats from its strip on.
    const std::uint32_t* row_places;
    //! The place of each column in the second stage's work, in floats.
    const std::uint32_t* column_places;
    //! The twiddle factors between the stages, exp(-2 pi j b g / size) for column b and
    //! row g: one for the columns row_second j, and one for the columns i below
    //! row_second, whose product is that of their sum. Each is that of a band's first
    //! row, times that of a lane.
    const float* band_factors; //!< for each band: complex values for each j, then each i
    const float* lane_factors; //!< for each j and then each i: planes
};

//! A vector of bins of real items: the places, in floats, of the bins of the pairs, of
//! the vector before the mirrored ones, and of the vector that begins with the first
//! mirrored one.
struct mirrored_places {
    std::uint32_t bins, near, far;
};

//! The kernels as compiled for one instruction set.
struct selective_kernels {
    const char* name;
    std::size_t width; //!< bins in a tile

    /*!
     * Transforms the columns of a strip.
     *
     * \param rows the first value of each row
     * \param offset bytes from there to the strip
     * \param next bytes from there to the strip that follows; it is fetched into the
     *        cache
     * \param out the strip's place in the first band
     */
    void (*columns)(const selective_layout& layout,
                    pair_format format,
                    const char* const* rows,
                    std::size_t offset,
                    std::size_t next,
                    float* work,
                    float* out);
    /*!
     * Transforms the rows of a band.
     *
     * \param values the band
     * \param next the band that follows; it is fetched into the cache
     * \param factors memory for the band's twiddle factors
     * \param used for each transform of the second pass, whether any of its results is
     *        stored
     * \param places the place of each result of the second pass in floats; negative: it
     *        is not stored
     */
    void (*rows)(const selective_layout& layout,
                 std::size_t band,
                 const float* values,
                 const float* next,
                 float* work,
                 float* factors,
                 const std::uint8_t* used,
                 const std::int32_t* places,
                 float* bins);
    /*!
     * Makes tiles of bins of real items from the bins of their pairs: bin k is (Z[k] +
     * conj(Z[-k])) / 2 + b[k] (Z[k] - conj(Z[-k])).
     *
     * \param b planes for each tile
     */
    void (*split_pairs)(const mirrored_places* places,
                        std::size_t tiles,
                        const float* pairs,
                        const float* b,
                        float* out);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const selective_kernels*> available_selective_kernels();

/*!
 * The transform of a large block, of whose bins only some are stored.
 *
 * The transform has two stages. The first one takes the columns of the block a strip at a
 * time: the values are converted while they are loaded, and the results are written once.
 * The second one takes the results a band at a time: it transforms the rows and stores
 * the bins that are wanted. Strips and bands fit the L2 cache, so that besides the items
 * and the wanted bins only the values between the stages pass through the memory, once
 * each way. Both stages take two passes, each with the transforms of one size in
 * registers.
 *
 * Bins are stored in tiles of `width` neighbouring bins: a vector of their real parts and
 * a vector of their imaginary parts, in the order of split planes.
 */
class selective_transform
{
public:
    /*!
     * The values that are not zero: `bytes` bytes of items from byte `shift` of the block
     * on. They wrap round the block's end.
     */
    struct placement {
        pair_format format;
        std::size_t shift; //!< a multiple of the size of half a value
        std::size_t bytes; //!< no more than the block has
    };

    //! The memory that a thread works in.
    struct memory {
        std::vector<const char*> rows;
        aligned_vector<char> edges; // rows of which the items have only a part
        aligned_vector<float> work, factors, between;
    };

    //! The tiles that are stored, see select().
    class selection
    {
        friend class selective_transform;
        std::vector<std::uint8_t> bands; // whether a band has any of them
        std::vector<std::uint8_t> used;
        std::vector<std::int32_t> places;
    };

    //! The approximate time for a value of a block of this size, relative to that of a
    //! block whose passes all have the size 16; 0 if kernels of this width do not cover
    //! the size.
    static double relative_cost(std::size_t size, std::size_t width);

    //! Makes a transform; null if the kernels do not cover the size.
    //! \param size the values of a block, less than 2^25
    static std::unique_ptr<selective_transform>
    make(std::size_t size, const placement& items, const selective_kernels& kernels);

    //! The number of tiles of all bins. Tile t begins with bin t times the width.
    std::size_t tiles() const
    {
        return d_layout.rows / d_kernels.width * d_layout.columns;
    }
    //! \param places the place of each tile in the memory of the bins, in floats;
    //!        negative: it is not stored
    selection select(const std::vector<std::int32_t>& places) const;
    memory make_memory() const;
    //! Transforms a block. Any number of threads may do so at once, with a memory each.
    //! \param items need no alignment
    void
    run(const void* items, memory& work, const selection& selected, float* bins) const;

private:
    //! The sizes of the passes: of the columns, then of the rows. All are 0 where nothing
    //! covers the size.
    struct shape {
        std::array<std::size_t, 4> passes = { 0, 0, 0, 0 };
        double cost = 0;
    };
    static shape find_shape(std::size_t size, std::size_t width);

    selective_transform(const shape& sizes,
                        const placement& items,
                        const selective_kernels& kernels);
    std::size_t value_bytes() const;
    std::size_t row_bytes() const { return d_layout.columns * value_bytes(); }
    std::size_t padded_bytes() const;
    bool is_edge(std::size_t row) const;
    void copy_edge(const char* items, std::size_t row, char* to) const;

    const selective_kernels& d_kernels;
    const placement d_items;
    selective_layout d_layout = {};
    aligned_vector<float> d_twiddles, d_row_twiddles, d_band_factors, d_lane_factors;
    std::vector<std::uint32_t> d_row_places, d_column_places;
};

} // namespace cldsp
