/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FILTER_LOAD_H
#define INCLUDED_CLDSP_FILTER_LOAD_H

#include "running_blocks.h"
#include <cldsp/freq_xlating_filter_bank.h>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

//! What a running filter computes, and how much of it in a call.
struct filter_load {
    ::cldsp::freq_xlating_filter_bank_problem problem; //!< a filter's: a bank of one
    std::string algorithm, variant; //!< as the block wants them; may be "auto"
    double accuracy = 0;
    std::size_t typical_items = 0; //!< input items of a call, as they were expected
    double outputs = 0;            //!< of each channel in an average call; 0: none yet
};

//! The direct kernel of one filter.
kernel_to_tune direct_filter_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                    std::size_t items,
                                    const std::string& variant);

//! The kernels that a filter or bank may run; each once.
std::vector<kernel_to_tune> kernels_to_tune_of(const filter_load& load);

//! Of an average call. \param variant,plan what runs
::cldsp::kernel_work average_work_of(const filter_load& load,
                                     const std::string& variant,
                                     const std::string& plan);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FILTER_LOAD_H */
