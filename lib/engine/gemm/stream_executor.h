// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of what multiplies streams by a matrix, and the host's way.

#pragma once

#include "base/thread_pool.h"
#include "gemm/gemm_executor.h"
#include "gemm/stream_matrix_simd.h"

#include <cldsp/gemm.h>

#include <volk/volk_alloc.hh>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! stream_matrix on the host, with a register tile of some rows and some vectors of
//! items. Large calls are divided among the cores.
class stream_matrix_host
{
public:
    //! \param type the type of the items
    //! \param rows rows of the matrix, which is the number of outputs
    //! \param columns columns of the matrix, which is the number of inputs
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
    std::unique_ptr<thread_pool> d_pool;        // made when it is first needed
    std::vector<volk::vector<float>> d_scratch; // one for each thread
};

//! One way of computing the products of stream_matrix. The arguments are those of
//! stream_matrix.
class stream_executor : public operation_executor
{
public:
    using operation_executor::operation_executor;

    virtual void set_matrix(const void* a) = 0;
    /*!
     * Computes \p items items of every output.
     *
     * \throws opencl_error if the device failed; std::invalid_argument if it cannot take
     *         this number of items. The outputs are then undefined
     */
    virtual void multiply(const void* const* in, void* const* out, std::size_t items) = 0;
    virtual gemm_precision precision() const { return gemm_precision::exact; }
};

//! Makes an executor on the host, which reads the streams in place.
std::unique_ptr<stream_executor>
make_host_streams(gemm_type type, std::size_t rows, std::size_t columns);

//! Makes an executor that uses matrix products: the streams are copied into one matrix, a
//! row for each stream.
std::unique_ptr<stream_executor> make_gemm_streams(gemm_type type,
                                                   std::size_t rows,
                                                   std::size_t columns,
                                                   std::unique_ptr<gemm_executor> gemm);

} // namespace cldsp
