/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_LOAD_H
#define INCLUDED_CLDSP_FILTER_LOAD_H

#include "probe/running_blocks.h"
#include <cldsp/freq_xlating_filter_bank.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

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

//! The kernel of one filter by the direct algorithm.
//! \param items input items of a call
//! \param variant see make_fir_tunable()
kernel_to_tune direct_filter_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                    std::size_t items,
                                    const std::string& variant);

//! The kernels of one filter by fast convolution.
//! \param items input items of a call
//! \param accuracy see freq_xlating_filter_bank_options
//! \param variant see make_fast_convolution_tunable()
kernel_to_tune fast_filter_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                  std::size_t items,
                                  double accuracy,
                                  const std::string& variant);

//! The kernels that a filter or a bank may run, each of them once. A bank whose slots
//! have different rates has none.
std::vector<kernel_to_tune> kernels_to_tune_of(const filter_load& load);

//! The work of an average call.
//! \param variant,block the variant and the block size that run; see engine_plan
::cldsp::kernel_work
average_work_of(const filter_load& load, const std::string& variant, std::size_t block);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_LOAD_H */
