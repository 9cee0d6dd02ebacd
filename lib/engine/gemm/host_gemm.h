// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products of matrices on every core of the host.

#pragma once

#include <cldsp/gemm.h>

#include <complex>
#include <cstddef>
#include <memory>

namespace cldsp {

struct host_gemm_set;

/*!
 * The variant "simd": products on the host, on every core. The arguments are those of
 * class gemm, which has checked them. Only one thread at a time may use an object.
 */
class host_gemm
{
public:
    explicit host_gemm(gemm_type type);
    //! \param type the type of the elements
    //! \param set the kernels
    //! \param threads the number of threads, as for thread_pool
    host_gemm(gemm_type type, const host_gemm_set& set, unsigned threads);
    ~host_gemm();
    host_gemm(host_gemm&&) noexcept;
    host_gemm& operator=(host_gemm&&) noexcept;

    void multiply(const gemm_shape& shape,
                  std::complex<float> alpha,
                  const_gemm_matrix a,
                  const_gemm_matrix b,
                  std::complex<float> beta,
                  gemm_matrix c);
    //! Makes a packed copy of B.
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b);
    //! Multiplies by the B that is held, which gives n and k.
    void multiply_held(std::size_t m,
                       std::complex<float> alpha,
                       const_gemm_matrix a,
                       std::complex<float> beta,
                       gemm_matrix c);

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

} // namespace cldsp
