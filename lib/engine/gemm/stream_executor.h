/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
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
    virtual void multiply(const void* const* in, void* const* out, std::size_t items) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual bool fell_back() const = 0;
    virtual chosen_plan plan() const = 0; //!< once it has changed; else of no algorithm
};

//! On the host, from where the streams are.
std::unique_ptr<stream_executor>
make_host_streams(gemm_type type, std::size_t rows, std::size_t columns);

/*!
 * By gemm: the streams are brought together into one matrix, a row each.
 *
 * \param options name a device and a variant
 * \throws std::invalid_argument if the variant does not run there; opencl_error
 */
std::unique_ptr<stream_executor> make_gemm_streams(gemm_type type,
                                                   std::size_t rows,
                                                   std::size_t columns,
                                                   std::size_t typical_items,
                                                   const gemm_options& options,
                                                   context_registry& registry);

} // namespace cldsp
