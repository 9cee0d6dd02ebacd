// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A range of streams to be multiplied, and the kernels that do it.

#pragma once

#include <cstddef>
#include <vector>

namespace cldsp {

//! The range of the streams that one call computes. Lengths are in floats; a complex item
//! has two.
struct stream_matrix_call {
    const float* a; //!< the matrix in groups of tile_rows rows (the last may have fewer):
                    //!< for each column of a group its elements, complex ones as pairs
    std::size_t rows;
    std::size_t columns;
    const float* const* in;
    float* const* out;
    std::size_t first; //!< where the range begins in every stream
    std::size_t count;
    float* scratch; //!< memory of columns times tile floats
};

/*!
 * The kernels as compiled for one instruction set. Streams need no alignment.
 */
struct stream_matrix_kernels {
    const char* name;
    std::size_t tile;                    //!< floats of a stream that are computed at once
    std::size_t real_rows, complex_rows; //!< values of tile_rows
    void (*real)(const stream_matrix_call& call);
    void (*complex)(const stream_matrix_call& call);
};

//! The sets of kernels that this machine can run, the fastest first; never empty.
std::vector<const stream_matrix_kernels*> available_stream_matrix_kernels();

} // namespace cldsp
