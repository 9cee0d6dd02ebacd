/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "host_gemm.h"

#include <cldsp/gemm_reference.h>

#include <cstdint>
#include <vector>

namespace cldsp {

namespace {

std::complex<float> get(gemm_type type, const void* data, std::size_t at)
{
    if (type == gemm_type::c32)
        return static_cast<const std::complex<float>*>(data)[at];
    if (type == gemm_type::f32)
        return static_cast<const float*>(data)[at];
    return from_half(static_cast<const std::uint16_t*>(data)[at]);
}

void put(gemm_type type, void* data, std::size_t at, std::complex<float> value)
{
    if (type == gemm_type::c32)
        static_cast<std::complex<float>*>(data)[at] = value;
    else if (type == gemm_type::f32)
        static_cast<float*>(data)[at] = value.real();
    else
        static_cast<std::uint16_t*>(data)[at] = to_half(value.real());
}

} // namespace

struct host_gemm::implementation {
    gemm_type type;
    std::vector<std::complex<float>> held;
    std::size_t k = 0, n = 0;
};

host_gemm::host_gemm(gemm_type type) : d_impl(new implementation{ type, {}, 0, 0 }) {}
host_gemm::~host_gemm() = default;
host_gemm::host_gemm(host_gemm&&) noexcept = default;
host_gemm& host_gemm::operator=(host_gemm&&) noexcept = default;

void host_gemm::multiply(const gemm_shape& s,
                         std::complex<float> alpha,
                         const_gemm_matrix a,
                         const_gemm_matrix b,
                         std::complex<float> beta,
                         gemm_matrix c)
{
    host_gemm once(d_impl->type);
    if (alpha != std::complex<float>(0))
        once.hold_b(s.k, s.n, b);
    once.d_impl->k = s.k;
    once.d_impl->n = s.n;
    once.multiply_held(s.m, alpha, a, beta, c);
}

void host_gemm::hold_b(std::size_t k, std::size_t n, const_gemm_matrix b)
{
    auto& s = *d_impl;
    s.k = k;
    s.n = n;
    s.held.resize(k * n);
    for (std::size_t i = 0; i < k; i++)
        for (std::size_t j = 0; j < n; j++)
            s.held[i * n + j] = get(s.type, b.data, i * b.leading + j);
}

void host_gemm::multiply_held(std::size_t m,
                              std::complex<float> alpha,
                              const_gemm_matrix a,
                              std::complex<float> beta,
                              gemm_matrix c)
{
    const auto& s = *d_impl;
    const std::complex<float> zero = 0;
    for (std::size_t i = 0; i < m; i++)
        for (std::size_t j = 0; j < s.n; j++) {
            std::complex<float> sum = 0;
            if (alpha != zero)
                for (std::size_t k = 0; k < s.k; k++)
                    sum += get(s.type, a.data, i * a.leading + k) * s.held[k * s.n + j];
            std::complex<float> value = alpha == zero ? zero : alpha * sum;
            if (beta != zero)
                value += beta * get(s.type, c.data, i * c.leading + j);
            put(s.type, c.data, i * c.leading + j, value);
        }
}

} // namespace cldsp
