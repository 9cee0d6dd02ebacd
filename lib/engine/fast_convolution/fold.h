/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "simd/split_planes.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*
 * The fold: out[g] = factor sum_r bins[g + r M] gains[g + r M], for M bins a row. It is
 * computed in tiles, a vector of neighbouring g each.
 *
 * Gains, and gathered bins, are planar: for each pair of tile and row a vector of real
 * parts, then one of imaginary parts, which real gains lack. They and
 * the results have the lanes' order of split planes.
 */

//! Rows that follow each other and contribute to one tile; each tile has one run or more,
//! maybe an empty one.
struct fold_run {
    std::uint32_t first; //!< row
    std::uint32_t rows;
    bool last; //!< of its tile
};

//! One channel's fold, from interleaved bins.
struct fold_call {
    const float* bins;
    std::size_t row; //!< M
    const fold_run* runs;
    const float* gains; //!< of the runs' rows
    bool real;
    float factor[2]; //!< factor of the outputs if the gains are real; otherwise 1
    float* out;      //!< split planes of all tiles
};

/*!
 * How a chunk's gains are stored; a chunk is a few rows of a tile.
 *
 * In fine ones a 32-bit integer takes the place of two gains, those of a row and the next
 * or a real and an imaginary part: the first one, times 2^16, is the integer's low half
 * moved up, the second one the integer as a whole. So the second one is rounded knowing
 * the first, and both are gains in units that make them large numbers.
 */
enum class fold_kind { real, fine_real, complex, fine_complex };
constexpr std::size_t fold_kinds = 4;

struct fold_member {
    float factor[2];
    //! For each block, split planes of all tiles.
    float* out[2];
};

//! The folds of some channels from the gathered bins of one block or of two, which share
//! the loads of gains.
struct fold_group {
    // As many as have their tiles' sums in the L1 cache, beside the gains that pass by.
    static constexpr std::size_t max_members = 16;

    const float* bins[2]; //!< of each block; zeros in the last chunk's missing rows
    std::size_t blocks;   //!< at most fold_kernel_set::max_blocks
    std::size_t tiles;
    std::size_t chunks; //!< of a tile
    std::size_t chunk_rows;
    //! For each tile, chunk and kind the channels that have such gains, a bit each.
    const std::uint32_t* masks;
    const float* gains;   //!< in the order of the masks' bits, the lowest first
    std::uint32_t wanted; //!< a bit for each channel whose outputs are stored
    const fold_member* members;
};

//! The kernels as compiled for one instruction set.
struct fold_kernel_set {
    const char* name;
    std::size_t lanes;          //!< bins of a tile
    std::size_t max_chunk_rows; //!< what the registers hold, of
    std::size_t max_blocks;     //!< as many blocks: 1 or 2

    /*!
     * \param bins rows of \p row interleaved bins, and a tile more that may be read
     * \param tile_rows rows from a tile to the next in \p out
     * \param phasors factors of the bins, laid out as these, or null
     */
    void (*gather)(const float* bins,
                   std::size_t row,
                   std::size_t rows,
                   std::size_t tile_rows,
                   const float* phasors,
                   float* out);
    void (*fold)(const fold_call& call);
    void (*fold_all)(const fold_group& group);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const fold_kernel_set*> available_fold_kernels();

} // namespace cldsp
