// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters of GNU Radio and of this module, made alike for flowgraphs.

#pragma once

#include "filters/bank_workloads.h"
#include "filters/candidate.h"

#include <gnuradio/basic_block.h>
#include <gnuradio/cldsp/engine_info.h>

#include <complex>
#include <functional>
#include <string>

namespace cldsp::bench {

//! A filter: one block, or two in a row.
struct filter_blocks {
    gr::basic_block_sptr first, last;
    std::size_t outputs = 1;           //!< output ports of the last block
    std::complex<float> phase{ 1, 0 }; //!< the outputs times this phasor are the expected
                                       //!< outputs
    //! The plan of one of this module's blocks.
    std::function<gr::cldsp::engine_plan()> plan = [] {
        return gr::cldsp::engine_plan();
    };
    std::function<std::string()> note = [] { return std::string(); };
    std::function<void(double)> set_center_freq;
    double bound_db = 0; //!< the largest permitted error against the reference
};

using maker = std::function<filter_blocks(const freq_xlating_fir_problem&)>;

/*
 * Filters have one of six types, as GNU Radio's do: "ccc", "ccf", "fcc", "fcf", "scc" or
 * "scf", which are the types of the input, the output and the taps.
 */

//! The type of filters for a problem: with complex taps where the prototype has them.
std::string filter_type(const freq_xlating_fir_problem& p);
//! The input that a filter of this type has. \throws std::invalid_argument
sample_type input_of(const std::string& type);

//! GNU Radio's freq_xlating_fir_filter of a type, which must fit the input.
filter_blocks in_tree_filter(const std::string& type, const freq_xlating_fir_problem& p);
//! This module's block of the same name, on a device.
filter_blocks cldsp_filter(const std::string& type,
                           const freq_xlating_fir_problem& p,
                           const std::string& device);

//! The type of GNU Radio's FIR filter in the tables: "ccc" for complex input, whose taps
//! it makes complex in any case.
std::string in_tree_type(const freq_xlating_fir_problem& p);
//! GNU Radio's freq_xlating_fir_filter of that type.
filter_blocks in_tree_fir(const freq_xlating_fir_problem& p);
//! The blocks that GNU Radio's freq_xlating_fft_filter_ccc consists of.
//! \throws std::invalid_argument if the input is not complex
filter_blocks in_tree_fft(const freq_xlating_fir_problem& p);
//! Makes this module's block of the problem's type on a device.
maker cldsp_on(const std::string& device);
//! This module's bank for real taps on a device; for one channel, this module's filter.
//! \throws std::invalid_argument if no bank takes such input
filter_blocks cldsp_bank(const bank_workload& work, const std::string& device);
//! This module's block on VOLK.
filter_blocks cldsp_volk(const freq_xlating_fir_problem& p);

} // namespace cldsp::bench
