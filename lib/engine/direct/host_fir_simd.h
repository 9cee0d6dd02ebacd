/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "simd/samples.h"

#include <volk/volk_alloc.hh>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * How the taps are laid out for the register tile, in units of complex items.
 *
 * The taps lie in rows. A tile computes several outputs whose windows are a row apart, so
 * that a vector of items, once loaded, serves every pair of output and tap row it belongs
 * to. The vectors of one row are its columns. All rows but the last are full.
 *
 * With lanes over taps, a vector holds neighbouring items of one output's window, a row
 * is `interleave` decimation steps long, and each accumulator is summed up at the end.
 * With lanes over outputs (decimation 1), a vector holds one tap's items for neighbouring
 * outputs and nothing is left to sum.
 */
struct simd_layout {
    bool lanes_over_outputs;
    std::size_t decimation; //!< items from one output's window to the next
    std::size_t interleave; //!< outputs from one of a tile's to its next
    std::size_t row;        //!< items from one row to the next
    std::size_t columns;    //!< of a full row
    std::size_t full_rows;
    std::size_t last_columns; //!< of the last row
};

/*!
 * The kernels as compiled for one instruction set. Pointers to float are to pairs of real
 * and imaginary part, without any alignment.
 */
struct simd_kernels {
    const char* name;
    std::size_t lanes;             //!< complex items in a vector
    std::size_t tile_outputs;      //!< most accumulators of a tile
    std::size_t tile_rows;         //!< tap rows that a tile takes at once
    const sample_kernels* samples; //!< of the same set

    /*!
     * The sums for \p outputs outputs; reads up to a vector beyond the last window.
     *
     * \param next memory that the caller reads next: fetched into the cache meanwhile, as
     *        computing leaves the memory idle otherwise
     */
    void (*filter)(const simd_layout& layout,
                   const float* items,
                   const float* taps,
                   float* out,
                   std::size_t outputs,
                   const void* next,
                   std::size_t next_bytes);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const simd_kernels*> available_simd_kernels();

//! The layout for \p taps taps and the kernels' vectors that leaves the fewest lanes
//! empty.
simd_layout
make_simd_layout(const simd_kernels& kernels, std::size_t taps, std::size_t decimation);

/*!
 * Taps in the order in which simd_kernels::filter() reads them, filled up with zeros.
 *
 * \param taps in the window's order, the oldest item's first
 */
void lay_out_taps(const simd_kernels& kernels,
                  const simd_layout& layout,
                  const std::vector<std::complex<float>>& taps,
                  volk::vector<std::complex<float>>& out);

} // namespace cldsp
