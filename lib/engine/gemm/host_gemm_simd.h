// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A block of a product, and the kernels that compute it.

#pragma once

#include <cldsp/gemm.h>

#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * A block of C = alpha A B + beta C, and the memory in which it is computed. The pointers
 * are those of the whole matrices.
 */
struct host_gemm_block {
    std::size_t n, k;    //!< sizes of the whole product
    std::size_t block_k; //!< number of terms that are added at a time; of s8 at most
                         //!< 1024, so that their sums are exact in floats
    std::size_t first_row, end_row;
    std::size_t first_column, end_column; //!< the first column is the first of a panel
    float alpha[2], beta[2];

    const float* a; //!< converted to floats if the type is half precision or s8
    std::size_t a_leading;
    const void* b;
    std::size_t b_leading;
    const float* panels; //!< the whole of B packed; null: the kernel packs \p b
    void* c;
    std::size_t c_leading;

    float* packed; //!< block_k rows of the block's panels of B; not used with \p panels
    float* sums;   //!< the sums of a tile, or of all tiles if k is cut into several
                   //!< blocks
};

//! The kernels for one type of elements, as compiled for one instruction set.
struct host_gemm_kernels {
    std::size_t width;         //!< floats in a vector
    std::size_t rows;          //!< rows of the register tile
    std::size_t panel_columns; //!< columns of B that a tile covers
    std::size_t parts;         //!< floats in an element: 2 if complex

    //! Packs some rows of B into panels that are \p panel_step floats apart; \p b is the
    //! first column of a panel. The last panel is only as many vectors wide as it needs,
    //! and filled up with zeros.
    void (*pack)(const void* b,
                 std::size_t leading,
                 std::size_t rows,
                 std::size_t columns,
                 float* to,
                 std::size_t panel_step);
    void (*multiply)(const host_gemm_block& block);
    //! Converts elements of half precision or s8 to floats; null for other types.
    void (*to_floats)(const void* from, float* to, std::size_t count);
};

//! The kernels for every type, in the order of gemm_type.
struct host_gemm_set {
    const char* name;
    host_gemm_kernels kernels[4];
};

//! The sets that this machine can run, the fastest first; never empty.
std::vector<const host_gemm_set*> available_host_gemm_sets();

} // namespace cldsp
