/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/gemm.h>

#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * A block of C = alpha A B + beta C, and the memory it is computed in. Pointers are to
 * the whole matrices.
 */
struct host_gemm_block {
    std::size_t n, k;    //!< of the whole product
    std::size_t block_k; //!< terms at a time
    std::size_t first_row, end_row;
    std::size_t first_column, end_column; //!< starts with a panel
    float alpha[2], beta[2];

    const float* a; //!< of half precision: converted to floats
    std::size_t a_leading;
    const void* b;
    std::size_t b_leading;
    const float* panels; //!< the whole of B packed; null: \p b gets packed here
    void* c;
    std::size_t c_leading;

    float* packed; //!< room for block_k rows of the columns' panels; not used with panels
    float* sums;   //!< room for a tile's, with several blocks of k for every tile's
};

//! The kernels for one type of elements, as compiled for one instruction set.
struct host_gemm_kernels {
    std::size_t width;         //!< floats in a vector
    std::size_t rows;          //!< of the register tile
    std::size_t panel_columns; //!< columns of B that a tile takes
    std::size_t parts;         //!< floats of an element

    //! Some rows of B, from any panel's first column on, as panels \p panel_step floats
    //! apart; the last one is as many vectors wide as it has to be, filled with zeros.
    void (*pack)(const void* b,
                 std::size_t leading,
                 std::size_t rows,
                 std::size_t columns,
                 float* to,
                 std::size_t panel_step);
    void (*multiply)(const host_gemm_block& block);
    //! Elements of half precision as floats; null for other types.
    void (*to_floats)(const void* from, float* to, std::size_t count);
};

//! The kernels for every type, in gemm_type's order.
struct host_gemm_set {
    const char* name;
    host_gemm_kernels kernels[3];
};

//! The sets that this machine can run, the fastest first; never empty.
std::vector<const host_gemm_set*> available_host_gemm_sets();

} // namespace cldsp
