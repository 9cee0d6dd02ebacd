/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/logger.h>
#include <cldsp/run_statistics.h>
#include <cldsp/variant_info.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The type of the elements of a multiplication's matrices.
enum class gemm_type {
    f32, //!< float
    c32, //!< std::complex<float>
    f16  //!< IEEE 754 half precision in memory (std::uint16_t), sums in float
};

//! Bytes of one element.
std::size_t element_size(gemm_type type);
//! "f32", "c32" or "f16".
std::string type_name(gemm_type type);

//! The sizes of C = alpha A B + beta C: A is m by k, B is k by n, C is m by n.
struct gemm_shape {
    std::size_t m = 1;
    std::size_t n = 1;
    std::size_t k = 1;

    //! Floating-point operations: a complex multiply-add counts 8, a real one 2.
    double operations(gemm_type type) const;
};

//! A matrix in host memory, row by row: element (i, j) is at i * leading + j.
struct gemm_matrix {
    void* data = nullptr;
    std::size_t leading = 0; //!< elements from row to row, at least the columns
};
//! A gemm_matrix that is only read.
struct const_gemm_matrix {
    const void* data = nullptr;
    std::size_t leading = 0;
};

//! A variant's name and properties.
struct gemm_variant_info {
    std::string name;        //!< e.g. "tile4x4"
    std::string description; //!< one line
    std::string ladder;      //!< "desktop", "mobile", "production", "library" or "host"
    std::vector<gemm_type> types;

    bool takes(gemm_type type) const;
};

//! Every variant, in the ladders' order.
const std::vector<gemm_variant_info>& gemm_variants();

//! Options that choose the engine; every text may be "auto".
struct gemm_options {
    std::string device = "auto";  //!< see find_devices()
    std::string variant = "auto"; //!< see gemm_variants()
    bool held_b = false; //!< calls share a B, see hold_b(); "auto" measures that case
    logger log;
};

/*!
 * The general matrix product C = alpha A B + beta C, row-major, as BLAS's xGEMM without
 * transposition, on a device or the host.
 *
 * As in BLAS, C is not read if beta is 0, so that it may hold anything then, and A and B
 * are not read if alpha is 0. If a device fails while running, the host completes the
 * call and continues, and the reason is logged. One thread at a time.
 */
class gemm
{
public:
    /*!
     * \param type of all three matrices
     * \param typical the sizes of a typical call; "auto" decides by them
     * \throws std::invalid_argument for a size of 0, an unknown or unfitting device or
     *         variant, or an explicitly named device that cannot be used
     */
    gemm(gemm_type type,
         const gemm_shape& typical,
         const gemm_options& options,
         context_registry& registry);
    ~gemm();
    gemm(gemm&&) noexcept;
    gemm& operator=(gemm&&) noexcept;

    /*!
     * C = alpha A B + beta C. Returns when C is complete.
     *
     * \param alpha,beta real unless the type is complex
     * \throws std::invalid_argument for a size of 0, a leading dimension below the
     *         columns, a null pointer, or a complex factor of real matrices
     */
    void multiply(const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  gemm_matrix c);

    /*!
     * Stores a copy of B, in the form that suits the device, for calls of
     * multiply_held(). So a matrix that many calls share is transferred and packed once.
     */
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b);
    //! multiply() with the B that is held. \throws std::logic_error if there is none
    void multiply_held(std::size_t m,
                       std::complex<float> alpha,
                       const_gemm_matrix a,
                       std::complex<float> beta,
                       gemm_matrix c);

    gemm_type type() const;
    std::string device_name() const;  //!< "host", or OpenCL's name of the device
    std::string variant_name() const; //!< the variant that runs, never "auto"
    //! "zero_copy" if kernels work on the caller's memory where its alignment and size
    //! permit that, "copy", or "none" on the host.
    std::string transfer_name() const;
    //! One line: the choice and its reason.
    std::string plan() const;
    const chosen_plan& chosen() const; //!< the same as data
    //! Outputs are elements of C.
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host computes
    //! Whether late commands of a lost device may still access the memory that was passed
    //! to calls, because kernels work on it. The memory must then stay until the process
    //! ends.
    bool device_is_lost() const;

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
