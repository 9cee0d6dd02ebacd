// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The tuning parameters of the kernels of products.

#pragma once

#include "gemm/gemm_kernel.h"
#include "opencl/matrix_units.h"
#include "tuning/kernel_parameters.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace cldsp {

//! The tuning parameters of the kernel for CPU devices.
struct gemm_cpu_parameters {
    std::size_t width;      //!< floats in a vector: 4, 8 or 16
    std::size_t rows;       //!< rows of the register tile, 1 to 16
    std::size_t vectors;    //!< vectors in a row of the tile: 1 to 4, complex 1 or 2
    std::size_t block_rows; //!< rows of C that a work-item computes, at most
    std::size_t block_k;    //!< number of terms for which a panel of B stays in the cache

    //! Values that fit the registers of CPUs with vectors of this width.
    gemm_cpu_parameters(gemm_type type, std::size_t native_width);
    //! The number of floats in a row of a panel of B.
    std::size_t panel_floats(gemm_type type) const
    {
        return width * vectors * (type == gemm_type::c32 ? 2 : 1);
    }
};

//! The tuning parameters of the kernel for GPUs.
struct gemm_gpu_parameters {
    std::size_t group_rows, group_columns; //!< size of a group in work-items
    std::size_t item_rows, item_columns; //!< block of C of one work-item, in multiples of
                                         //!< 16 bytes
    std::size_t depth;                   //!< number of terms in local memory at a time

    std::size_t items() const { return group_rows * group_columns; }
    std::size_t tile_rows() const { return group_rows * item_rows; }
    std::size_t tile_columns() const { return group_columns * item_columns; }
    //! The local memory that a group needs, in bytes.
    std::size_t local_memory(gemm_type type) const;
    //! These parameters, reduced until they keep to the limits of a device and to its
    //! rules.
    gemm_gpu_parameters fitted(gemm_type type, const device_limits& limits) const;

    //! Good parameters for large, for medium and for small matrices.
    static std::vector<gemm_gpu_parameters> defaults(gemm_type type);
    //! The same, each as fitted() gives it.
    static std::vector<gemm_gpu_parameters> fitted_defaults(gemm_type type,
                                                            const device_limits& limits);
    //! The index of the choice that gives the busiest compute unit the least work.
    static std::size_t best_of(const std::vector<gemm_gpu_parameters>& choices,
                               const gemm_shape& shape,
                               std::size_t compute_units);
};

// What a tuner may change in these two.
parameter_table<gemm_cpu_parameters> gemm_cpu_table(gemm_type type,
                                                    const device_limits& limits);
parameter_table<gemm_gpu_parameters> gemm_gpu_table(gemm_type type,
                                                    const device_limits& limits);

//! The parameters of the kernel for NVIDIA's matrix units.
struct gemm_tensor_parameters {
    std::size_t group_rows, group_columns; //!< tile of C of a group; columns in floats
    std::size_t warp_rows, warp_columns;   //!< tile of C of 32 work-items of the group
    std::size_t stages;                    //!< steps of K in local memory

    std::size_t items() const
    {
        return 32 * (group_rows / warp_rows) * (group_columns / warp_columns);
    }
    //! The local memory that a group needs, in bytes.
    std::size_t local_memory(gemm_type type) const;

    //! Good parameters for large and for small matrices.
    static std::vector<gemm_tensor_parameters> defaults(gemm_type type);
    //! Good parameters for large matrices of any type, which need about 96 KB of local
    //! memory; see may_use_large_tiles().
    static gemm_tensor_parameters large() { return { 128, 256, 64, 64, 4 }; }
    //! The index of the choice that gives the busiest compute unit the least work.
    static std::size_t best_of(const std::vector<gemm_tensor_parameters>& choices,
                               gemm_type type,
                               const gemm_shape& shape,
                               std::size_t compute_units);
};

//! \throws std::invalid_argument for parameters that are out of range
std::unique_ptr<gemm_kernel> make_gemm_kernel_cpu(const gemm_kernel_args& args,
                                                  const gemm_cpu_parameters& parameters);
/*!
 * Makes the kernel for GPUs.
 *
 * \param args the device, its queue and the type
 * \param choices several sets of parameters; each call uses the one that suits it best
 * \throws std::invalid_argument for parameters that the device cannot take, or if there
 *         are none
 */
std::unique_ptr<gemm_kernel>
make_gemm_kernel_gpu(const gemm_kernel_args& args,
                     const std::vector<gemm_gpu_parameters>& choices);
/*!
 * Makes the kernel for NVIDIA's matrix units, and multiplies two small matrices to prove
 * that it works on the device.
 *
 * \param args the device, its queue, the type and the precision
 * \param choices several sets of parameters; each call uses the one that suits it best
 * \param mode how the kernel multiplies
 * \throws std::invalid_argument for a device without such units, a wrong product,
 *         parameters that the device cannot take, or if there are none
 */
std::unique_ptr<gemm_kernel>
make_gemm_kernel_tensor(const gemm_kernel_args& args,
                        const std::vector<gemm_tensor_parameters>& choices,
                        tensor_mode mode);
/*!
 * Makes the kernel for the matrix units of NVIDIA's Hopper GPUs, and multiplies two small
 * matrices with each set of parameters to prove that it works on the device.
 *
 * \param args the device, its queue, the type and the precision
 * \param tiles several sets of parameters; each call uses the one that suits it best
 * \param mode how the kernel multiplies
 * \param max_packed the largest size of a packed matrix in bytes, if less than that of
 *        the device's buffers. Larger matrices are multiplied by the kernel for matrix
 *        units
 * \param wide_tiles the parameters for products of complex floats whose B is not packed;
 *        each call uses the first ones that suit it
 * \throws std::invalid_argument for another device, a wrong product, parameters that the
 *         device cannot take, or if there are none; opencl_error
 */
std::unique_ptr<gemm_kernel> make_gemm_kernel_warpgroup(
    const gemm_kernel_args& args,
    const std::vector<warpgroup_tile>& tiles,
    tensor_mode mode,
    std::size_t max_packed = std::numeric_limits<std::size_t>::max(),
    const std::vector<warpgroup_wide_tile>& wide_tiles = {});

} // namespace cldsp
