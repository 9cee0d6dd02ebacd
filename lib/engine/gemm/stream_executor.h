/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_executor.h"

#include <cldsp/gemm.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

//! One way of computing stream_matrix's products; arguments are as there.
class stream_executor
{
public:
    virtual ~stream_executor() = default;
    virtual void set_matrix(const void* a) = 0;
    /*!
     * \throws opencl_error if the device failed; std::invalid_argument if it cannot take
     *         as many items. The outputs are then undefined
     */
    virtual void multiply(const void* const* in, void* const* out, std::size_t items) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual void clear_statistics() = 0;
    //! Whether commands of a lost device may still come to this executor's memory.
    virtual bool device_is_lost() const { return false; }
};

//! On the host, from where the streams are.
std::unique_ptr<stream_executor>
make_host_streams(gemm_type type, std::size_t rows, std::size_t columns);

//! By matrix products: the streams are brought together into one matrix, a row each.
std::unique_ptr<stream_executor> make_gemm_streams(gemm_type type,
                                                   std::size_t rows,
                                                   std::size_t columns,
                                                   std::unique_ptr<gemm_executor> gemm);

} // namespace cldsp
