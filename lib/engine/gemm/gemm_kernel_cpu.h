// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tiles and blocks of a product on a CPU device.

#pragma once

#include "gemm/gemm_parameters.h"

#include <cldsp/device_limits.h>

#include <cstddef>

namespace cldsp {

//! The sizes of the blocks into which a call is cut.
struct gemm_blocks {
    std::size_t rows, columns;             //!< size of the block of C of one work-item
    std::size_t k;                         //!< number of terms that are added at a time
    std::size_t sum_floats, packed_floats; //!< local memory for sums, for packed B
};

/*!
 * Chooses the tile and the blocks with which the kernel for CPU devices computes a
 * product. A block's data should stay in a core's cache, and there should be blocks for
 * every core.
 */
class gemm_cpu_blocking
{
public:
    //! \throws std::invalid_argument for parameters out of their range
    gemm_cpu_blocking(gemm_type type,
                      const gemm_cpu_parameters& parameters,
                      const device_limits& limits);

    const gemm_cpu_parameters& parameters() const { return d_parameters; }
    //! The tile, made smaller for matrices that would leave much of it empty. Its width
    //! depends only on n, because a held B is packed for one width.
    gemm_cpu_parameters tile_for(const gemm_shape& shape) const;
    //! Whether the sums and a useful block of B fit into local memory. If not, B has to
    //! be packed before, and all terms are added at once.
    bool has_scratch(const gemm_cpu_parameters& tile) const;
    //! Cuts a call into blocks.
    //! \param shape the sizes of the product
    //! \param tile the tile from tile_for()
    //! \param packed whether B is packed already and needs no local memory
    gemm_blocks
    cut(const gemm_shape& shape, const gemm_cpu_parameters& tile, bool packed) const;

private:
    gemm_type d_type;
    gemm_cpu_parameters d_parameters;
    std::size_t d_local_memory; //!< bytes that may be used
    std::size_t d_items;        //!< number of work-items that a call should have
};

} // namespace cldsp
