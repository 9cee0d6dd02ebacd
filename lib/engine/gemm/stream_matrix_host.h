/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/stream_matrix_simd.h"
#include "base/thread_pool.h"

#include <cldsp/gemm.h>

#include <volk/volk_alloc.hh>

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! stream_matrix on the host, by a register tile of some rows and vectors of items; what
//! is large is spread over the cores.
class stream_matrix_host
{
public:
    //! \param kernels null: the fastest that the machine can run
    stream_matrix_host(gemm_type type,
                       std::size_t rows,
                       std::size_t columns,
                       const stream_matrix_kernels* kernels = nullptr);

    void set_matrix(const void* a);
    void multiply(const void* const* in, void* const* out, std::size_t items);

private:
    const bool d_complex;
    const std::size_t d_rows, d_columns;
    const stream_matrix_kernels* d_kernels;
    volk::vector<float> d_a; // in the kernels' order
    std::vector<const float*> d_in;
    std::vector<float*> d_out;
    std::unique_ptr<thread_pool> d_pool;        // made when first needed
    std::vector<volk::vector<float>> d_scratch; // one a thread
};

} // namespace cldsp
