// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of everything that computes matrix products.

#pragma once

#include "planning/operation_executor.h"

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
    const_gemm_matrix b; //!< also set for multiply_held()
    std::complex<float> beta = 0;
    gemm_matrix c;
};

/*!
 * One way of computing products. Between calls it keeps the B that is held. The arguments
 * are those of class gemm, which has checked them.
 */
class gemm_executor : public operation_executor
{
public:
    using operation_executor::operation_executor;

    /*!
     * Computes one product.
     *
     * \throws opencl_error if the device failed; std::invalid_argument if it cannot take
     *         these sizes. C is then undefined, and no command writes to it any more
     */
    virtual void multiply(const gemm_call& call) = 0;
    //! Keeps B for multiply_held(). \p b must stay as it is until the next hold_b().
    //! \throws as multiply()
    virtual void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b) = 0;
    //! The same as multiply(), with the B that is held.
    virtual void multiply_held(const gemm_call& call) = 0;
    virtual gemm_precision precision() const { return gemm_precision::exact; }
};

std::unique_ptr<gemm_executor> make_host_gemm(gemm_type type);

/*!
 * Makes an executor on an OpenCL device.
 *
 * \param device the context of the device
 * \param variant the name of the variant
 * \param transfer "zero_copy" (the kernels work on the caller's memory, where its
 *        alignment and size permit that) or "copy"
 * \param type the type of the elements
 * \param tuned values that the kernel is built with instead of the defaults, see
 *        gemm_parameters()
 * \param precision the arithmetic; only variants for matrix units have another one than
 *        exact
 * \throws std::invalid_argument if the device or the type does not fit the variant;
 *         opencl_error
 */
std::unique_ptr<gemm_executor>
make_opencl_gemm(std::shared_ptr<context> device,
                 const std::string& variant,
                 const std::string& transfer,
                 gemm_type type,
                 const tuning_values& tuned = {},
                 gemm_precision precision = gemm_precision::exact);

} // namespace cldsp
