/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_parameters.h"

#include <cldsp/device_limits.h>

#include <cstddef>

namespace cldsp {

//! How a call is cut into work-items.
struct gemm_blocks {
    std::size_t rows, columns;             //!< of C a work-item
    std::size_t k;                         //!< terms at a time
    std::size_t sum_floats, packed_floats; //!< of local memory
};

/*!
 * The tile and the blocks with which the kernel for CPU devices computes a product: what
 * lies in a core's cache, and what keeps every core busy.
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
    //! depends on n alone, for which a held B is packed.
    gemm_cpu_parameters tile_for(const gemm_shape& shape) const;
    //! Whether sums and a useful block of B fit into local memory. If not, the kernel
    //! wants B packed, and all terms at once.
    bool has_scratch(const gemm_cpu_parameters& tile) const;
    //! \param packed B is, so that no local memory is needed for it
    gemm_blocks
    cut(const gemm_shape& shape, const gemm_cpu_parameters& tile, bool packed) const;

private:
    gemm_type d_type;
    gemm_cpu_parameters d_parameters;
    std::size_t d_local_memory; //!< bytes that may be used
    std::size_t d_items;        //!< work-items wanted
};

} // namespace cldsp
