/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_kernel.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! What the kernel for CPU devices can be tuned by.
struct gemm_cpu_parameters {
    std::size_t width;      //!< floats in a vector: 4, 8 or 16
    std::size_t rows;       //!< of the register tile, 1 to 16
    std::size_t vectors;    //!< that the tile is wide: 1 to 4, complex 1 or 2
    std::size_t block_rows; //!< of C a work-item computes at most
    std::size_t block_k;    //!< terms for which a panel of B stays in the cache

    //! What fits the registers of CPUs with such vectors.
    gemm_cpu_parameters(gemm_type type, std::size_t native_width);
    //! Floats of a row of a panel of B.
    std::size_t panel_floats(gemm_type type) const
    {
        return width * vectors * (type == gemm_type::c32 ? 2 : 1);
    }
};

//! What the kernel for GPUs can be tuned by.
struct gemm_gpu_parameters {
    std::size_t group_rows, group_columns; //!< work-items of a group
    std::size_t item_rows, item_columns; //!< of C a work-item computes; in 16 bytes each
    std::size_t depth;                   //!< terms in local memory at a time

    std::size_t items() const { return group_rows * group_columns; }
    std::size_t tile_rows() const { return group_rows * item_rows; }
    std::size_t tile_columns() const { return group_columns * item_columns; }
    //! Bytes of local memory.
    std::size_t local_memory(gemm_type type) const;
    //! Reduced until they keep to a device's limits, and its rules.
    gemm_gpu_parameters fitted(gemm_type type, const device_limits& limits) const;

    //! Good ones for large, middling and small matrices.
    static std::vector<gemm_gpu_parameters> defaults(gemm_type type);
    //! Of several, the one with the least work of the busiest compute unit.
    static std::size_t best_of(const std::vector<gemm_gpu_parameters>& choices,
                               const gemm_shape& shape,
                               std::size_t compute_units);
};

//! \throws std::invalid_argument for parameters out of their range
std::unique_ptr<gemm_kernel> make_gemm_kernel_cpu(const gemm_kernel_args& args,
                                                  const gemm_cpu_parameters& parameters);
/*!
 * \param choices the kernel takes the one that suits a call best
 * \throws std::invalid_argument for parameters that the device cannot take, or none
 */
std::unique_ptr<gemm_kernel>
make_gemm_kernel_gpu(const gemm_kernel_args& args,
                     const std::vector<gemm_gpu_parameters>& choices);

} // namespace cldsp
