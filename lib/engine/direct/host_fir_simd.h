// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The layout of taps for a register tile, and the kernels that filter with it.

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
 * The taps lie in rows. A tile computes several outputs whose windows are a row apart. So
 * each loaded vector of items is multiplied by several rows of taps, for a different
 * output each. The vectors of one row are its columns. All rows but the last are full.
 *
 * With lanes over taps, a vector holds neighbouring items of one output's window. A row
 * is `interleave` decimation steps long, and the lanes of each accumulator are summed up
 * at the end. With lanes over outputs (decimation 1), a vector holds the items that one
 * tap meets in neighbouring outputs, and nothing is left to sum.
 */
struct simd_layout {
    bool lanes_over_outputs;
    std::size_t decimation; //!< items from one output's window to the next
    std::size_t interleave; //!< outputs from one output of a tile to the next one
    std::size_t row;        //!< items from one row to the next
    std::size_t columns;    //!< columns of a full row
    std::size_t full_rows;
    std::size_t last_columns; //!< columns of the last row
};

/*!
 * The kernels of one instruction set. A pointer to float points to pairs of a real and an
 * imaginary part, and needs no alignment.
 */
struct simd_kernels {
    const char* name;
    std::size_t lanes;             //!< complex items in a vector
    std::size_t tile_outputs;      //!< the largest number of accumulators of a tile
    std::size_t tile_rows;         //!< tap rows that a tile takes at once
    const sample_kernels* samples; //!< sample kernels of the same set

    /*!
     * Computes the sums for \p outputs outputs. Reads up to one vector of items beyond
     * the last window.
     *
     * \param next memory that the caller reads next. It is fetched into the cache during
     *        the computation, which would otherwise leave the memory idle
     */
    void (*filter)(const simd_layout& layout,
                   const float* items,
                   const float* taps,
                   float* out,
                   std::size_t outputs,
                   const void* next,
                   std::size_t next_bytes);

    /*!
     * Computes the sum of a single output, whose taps no other output shares: the sums of
     * the products of \p items and \p taps, for the real and the imaginary parts apart.
     *
     * \param vectors the number of vectors of both
     * \param sum a real and an imaginary part
     */
    void (*sum_products)(const float* items,
                         const float* taps,
                         std::size_t vectors,
                         float* sum);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const simd_kernels*> available_simd_kernels();

//! A layout for \p taps taps that leaves few lanes of the kernels' vectors empty.
simd_layout
make_simd_layout(const simd_kernels& kernels, std::size_t taps, std::size_t decimation);

/*!
 * Writes the taps to \p out in the order in which simd_kernels::filter() reads them,
 * padded with zeros.
 *
 * \param taps the taps in the order of the window: that of the oldest item comes first
 */
void lay_out_taps(const simd_kernels& kernels,
                  const simd_layout& layout,
                  const std::vector<std::complex<float>>& taps,
                  volk::vector<std::complex<float>>& out);

} // namespace cldsp
