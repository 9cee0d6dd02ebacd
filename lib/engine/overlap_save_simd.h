/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

/*!
 * Rows that follow each other and contribute to one tile, which is a vector of
 * neighbouring outputs of the fold. Each tile has one run or more, maybe an empty one.
 */
struct fold_run {
    std::uint16_t rows;
    bool fine;           //!< gains as pairs of 16-bit integers, else as floats
    bool last;           //!< of its tile
    std::uint32_t first; //!< row
};

//! The bins that channels share.
struct fold_bins {
    const float* bins;
    std::size_t tile_step; //!< floats from a tile to the next
    std::size_t row_step;  //!< floats from a row to the next
    std::size_t tiles;     //!< of a row, the last one maybe in part
};

/*!
 * A channel: out[g] = turn sum_r bins[g + r M] gains[g + r M] for M bins a row.
 *
 * Gains are those of the runs' rows, for each row a vector of real parts, and one of
 * imaginary parts unless they are real. In a fine run a 32-bit integer high 2^16 + low
 * takes the place of two gains: low is the real part and high the imaginary one, or they
 * are those of a row and the next, and the run has an even number of rows. Fine gains are
 * fine_step low 2^16 and fine_step (high 2^16 + low): the low part rounds the high one.
 */
struct fold_channel {
    const fold_run* runs; //!< the first tile's, then the next one's
    const float* gains;
    bool real;
    float fine_step;
    float turn[2]; //!< where gains are real; else 1
    float* out;    //!< interleaved, room for whole tiles
};

/*!
 * The kernels as compiled for one instruction set.
 *
 * Bins are interleaved pairs of real and imaginary part, or gathered: a vector of real
 * parts and one of imaginary parts for each pair of tile and row, the rows of a tile side
 * by side, in an order of the lanes that gather() gives and that gains share.
 */
struct overlap_save_kernels {
    const char* name;
    std::size_t lanes;    //!< bins of a tile
    std::size_t channels; //!< most channels of a call

    /*!
     * Brings interleaved bins into the gathered order.
     *
     * \param bins rows of \p row bins, and a tile more that may be read
     * \param phasors factors of the bins, laid out as these, or null
     */
    void (*gather)(const float* bins,
                   std::size_t row,
                   std::size_t rows,
                   const float* phasors,
                   float* out);

    void (*fold_gathered)(const fold_bins& bins,
                          const fold_channel* channels,
                          std::size_t count);
    void (*fold_interleaved)(const fold_bins& bins,
                             const fold_channel* channels,
                             std::size_t count);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const overlap_save_kernels*> available_overlap_save_kernels();

} // namespace cldsp
