/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_GEMM_LOAD_H
#define INCLUDED_CLDSP_GEMM_LOAD_H

#include "probe/running_blocks.h"
#include <cldsp/gemm.h>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! The problem of a running product of matrices.
struct gemm_load {
    ::cldsp::gemm_type type;
    ::cldsp::gemm_shape typical; //!< the expected sizes of a call
    std::string variant;         //!< the variant that the block wants; may be "auto"
};

//! The kernel of a product.
//! \param variant see make_gemm_tunable()
kernel_to_tune gemm_kernel_to_tune(::cldsp::gemm_type type,
                                   const ::cldsp::gemm_shape& shape,
                                   const std::string& variant);

//! The kernel of a 1-bit product.
//! \param variant see make_gemm_1bit_tunable()
kernel_to_tune gemm_1bit_kernel_to_tune(const ::cldsp::gemm_shape& shape,
                                        const std::string& variant);

//! The kernel that a block may run; an empty list for a variant that has nothing to tune.
std::vector<kernel_to_tune> kernels_to_tune_of(const gemm_load& load);

//! As kernels_to_tune_of(), for a 1-bit product.
std::vector<kernel_to_tune> kernels_to_tune_of_1bit(const ::cldsp::gemm_shape& typical,
                                                    const std::string& variant);

//! The work of a call of these sizes; zeros if one of the sizes is 0.
::cldsp::kernel_work gemm_work(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_GEMM_LOAD_H */
