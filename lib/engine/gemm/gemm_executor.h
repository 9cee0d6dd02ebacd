/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/gemm.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

//! One call: C = alpha A B + beta C.
struct gemm_call {
    gemm_shape shape;
    std::complex<float> alpha = 1;
    const_gemm_matrix a;
    const_gemm_matrix b; //!< also where it is held
    std::complex<float> beta = 0;
    gemm_matrix c;
};

/*!
 * One way of computing products. Stateless between calls but for the B that is held,
 * buffers and statistics. Arguments are gemm's, which has checked them.
 */
class gemm_executor
{
public:
    virtual ~gemm_executor() = default;
    /*!
     * \throws opencl_error if the device failed; std::invalid_argument if it cannot take
     *         these sizes. C is then undefined, and nobody writes to it any more
     */
    virtual void multiply(const gemm_call& call) = 0;
    //! \p b must stay as it is until the next hold_b(). \throws as multiply()
    virtual void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b) = 0;
    //! multiply() with the B that is held.
    virtual void multiply_held(const gemm_call& call) = 0;
    virtual std::string device_name() const = 0;
    virtual std::string variant_name() const = 0;
    virtual std::string transfer_name() const = 0;
    virtual run_statistics statistics() const = 0;
    virtual void clear_statistics() = 0;
    //! Whether commands of a lost device may still come to the memory of the calls.
    virtual bool device_is_lost() const { return false; }
};

std::unique_ptr<gemm_executor> make_host_gemm(gemm_type type);

/*!
 * \param transfer "zero_copy" (the kernels work on the caller's memory, where its
 *        alignment and size permit) or "copy"
 * \param tuned what the kernel is built with in place of defaults, see gemm_values()
 * \throws std::invalid_argument if the device or the type does not fit the variant;
 *         opencl_error
 */
std::unique_ptr<gemm_executor> make_opencl_gemm(std::shared_ptr<context> device,
                                                const std::string& variant,
                                                const std::string& transfer,
                                                gemm_type type,
                                                const tuning_values& tuned = {});

} // namespace cldsp
