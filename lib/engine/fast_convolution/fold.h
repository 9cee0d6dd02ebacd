// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fold: bins that alias onto each other, weighted by gains and added up.

#pragma once

#include "simd/split_planes.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*
 * The fold: out[g] = factor sum_r bins[g + r N/D] gains[g + r N/D]. A row is N/D bins.
 * The fold is computed in tiles, each a vector of neighbouring values of g.
 *
 * Gains and gathered bins are planar: each pair of a tile and a row has a vector of real
 * parts, then a vector of imaginary parts. Real gains have no imaginary parts. Gains,
 * gathered bins and results have the order of lanes of split planes.
 */

//! A run of neighbouring rows that contribute to one tile. Each tile has one run or more;
//! a run may be empty.
struct fold_run {
    std::uint32_t first; //!< the first row, or for fold_tiles() the place of its bins
    std::uint32_t rows;
    bool last; //!< whether this is the last run of its tile
};

//! The fold of one channel, from interleaved bins or from vectors of bins.
struct fold_call {
    const float* bins;
    std::size_t row; //!< bins of a row, N/D
    const fold_run* runs;
    const float* gains; //!< gains of the rows of all runs
    bool real;
    float factor[2]; //!< factor of the outputs if the gains are real; otherwise 1
    float* out;      //!< split planes of all tiles
};

/*!
 * How the gains of a chunk are stored. A chunk is a few rows of a tile.
 *
 * The fine kinds store two gains in one 32-bit integer: those of a row and the next one,
 * or a real and an imaginary part. The first gain is the low half of the integer, moved
 * up by 16 bits. The second gain is the integer as a whole. Its high half is chosen so
 * that the whole, low half included, is nearest to the second gain. The unit of both
 * gains is so small that they are large numbers.
 */
enum class fold_kind { real, fine_real, complex, fine_complex };
constexpr std::size_t fold_kinds = 4;

//! The most blocks that fold_kernel_set::fold_all() takes.
constexpr std::size_t max_fold_blocks = 4;

struct fold_member {
    float factor[2];
    //! The outputs for each block: split planes of all tiles.
    float* out[max_fold_blocks];
};

//! The folds of several channels from the gathered bins of some blocks, which share the
//! gains: fold_kernel_set::max_blocks of them each gain that is loaded, and all of them
//! those of a tile in the nearest cache.
struct fold_group {
    // The sums of this many channels for one tile fit the L1 cache, beside the gains that
    // pass through it.
    static constexpr std::size_t max_members = 16;

    //! Bins of each block; missing rows of the last chunk are 0, unless `places` is set.
    const float* bins[max_fold_blocks];
    /*!
     * The place of each row of each tile among the bins, in floats, or null if they lie
     * one behind the other. Missing rows have any place, and so have the rows of one more
     * chunk behind the last one.
     */
    const std::uint32_t* places;
    //! A complex factor for the bins of each row, missing rows included; null: 1. Only
    //! where `places` is set.
    const float* row_factors;
    //! A factor for each output, beside that of the member, as split planes; null: 1.
    const float* out_factors;
    std::size_t blocks; //!< at most max_fold_blocks
    std::size_t tiles;
    std::size_t chunks; //!< chunks of a tile
    std::size_t chunk_rows;
    //! For each tile, chunk and kind: a bit for each channel that has gains of that kind.
    const std::uint32_t* masks;
    const float* gains;   //!< in the order of the masks' bits, the lowest bit first
    std::uint32_t wanted; //!< a bit for each channel whose outputs are stored
    const fold_member* members;
};

//! The kernels of one instruction set.
struct fold_kernel_set {
    const char* name;
    std::size_t lanes; //!< bins of a tile
    //! The number of rows of a chunk that the registers hold, for max_blocks blocks.
    std::size_t max_chunk_rows;
    std::size_t max_blocks; //!< blocks that share the loads of gains: 1 or 2

    /*!
     * Copies interleaved bins into the planar order of gathered bins.
     *
     * \param bins \p rows rows of \p row interleaved bins. One more tile behind them may
     *        be read
     * \param tile_rows the number of rows from a tile to the next in \p out
     * \param phasors factors of the bins, in the order of \p bins; or null
     */
    void (*gather)(const float* bins,
                   std::size_t row,
                   std::size_t rows,
                   std::size_t tile_rows,
                   const float* phasors,
                   float* out);
    void (*fold)(const fold_call& call);
    //! The same from vectors of bins that lie one behind the other: those of a run begin
    //! with vector fold_run::first, as planes.
    void (*fold_tiles)(const fold_call& call);
    void (*fold_all)(const fold_group& group);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const fold_kernel_set*> available_fold_kernels();

} // namespace cldsp
