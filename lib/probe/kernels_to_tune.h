// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernels that a probe tunes for a block, and the work of the block's calls.

#ifndef INCLUDED_CLDSP_KERNELS_TO_TUNE_H
#define INCLUDED_CLDSP_KERNELS_TO_TUNE_H

#include "probe/running_blocks.h"
#include <cldsp/freq_xlating_filter_bank.h>
#include <cldsp/gemm.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

// One kernel for the problem of a function make_..._tunable() of the engine, which
// explains the arguments. Items are input items of a call.
kernel_to_tune fir_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                          std::size_t items,
                          const std::string& variant);
kernel_to_tune fast_convolution_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                       std::size_t items,
                                       double accuracy,
                                       const std::string& variant);
kernel_to_tune gemm_kernel(::cldsp::gemm_type type,
                           const ::cldsp::gemm_shape& shape,
                           const std::string& variant);
kernel_to_tune gemm_1bit_kernel(const ::cldsp::gemm_shape& shape,
                                const std::string& variant);

//! The problem of a running filter or bank, and the size of its calls.
struct filter_load {
    //! The channels that are active; a filter is a bank of one.
    ::cldsp::freq_xlating_filter_bank_problem problem;
    ::cldsp::freq_xlating_filter_bank_options options; //!< the block's wishes
    double outputs = 0; //!< average outputs of one channel in a call; 0: no call yet
    //! Whether the slots of the bank have different rates. There is nothing to tune then,
    //! and the work is not counted.
    bool different_rates = false;
};

//! The kernels that a filter or a bank may run, each of them once. A bank whose slots
//! have different rates has none.
std::vector<kernel_to_tune> kernels_to_tune_of(const filter_load& load);

//! The kernel of a product; an empty list if it is for a variant that has nothing to
//! tune.
std::vector<kernel_to_tune> if_tunable(const std::string& variant, kernel_to_tune kernel);

//! The work of an average call.
//! \param variant,block the variant and the block size that run; see engine_plan
::cldsp::kernel_work
average_work_of(const filter_load& load, const std::string& variant, std::size_t block);

//! The work of a product of these sizes; zeros if one of the sizes is 0.
::cldsp::kernel_work gemm_work(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_KERNELS_TO_TUNE_H */
