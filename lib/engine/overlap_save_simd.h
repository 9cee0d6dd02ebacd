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
    std::uint32_t first;
    std::uint32_t rows;
    bool last; //!< of its tile
};

/*!
 * out[g] = turn sum_r bins[g + r M] gains[g + r M] for M bins, M being the bins of a row.
 *
 * Bins are interleaved pairs of real and imaginary part, or gathered: a vector of real
 * parts and one of imaginary parts for each pair of tile and row, the rows of a tile side
 * by side, in an order of the lanes that overlap_save_kernels::gather() gives and that
 * gains share.
 */
struct fold_call {
    const float* bins;
    std::size_t tile_step; //!< floats from a tile to the next
    std::size_t row_step;  //!< floats from a row to the next
    std::size_t tiles;     //!< those of a row, the last one maybe in part
    const fold_run* runs;  //!< the first tile's, then the next one's
    const float* gains;    //!< of the runs' rows: a vector of real parts, and one of
                           //!< imaginary parts unless they are real
    float turn[2];         //!< a factor of all outputs, where gains are real; else 1
    float* out;            //!< interleaved, room for whole tiles
};

//! The kernels as compiled for one instruction set.
struct overlap_save_kernels {
    const char* name;
    std::size_t lanes; //!< bins of a tile

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

    void (*fold_gathered_real)(const fold_call& call);
    void (*fold_gathered_complex)(const fold_call& call);
    void (*fold_interleaved_real)(const fold_call& call);
    void (*fold_interleaved_complex)(const fold_call& call);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const overlap_save_kernels*> available_overlap_save_kernels();

} // namespace cldsp
