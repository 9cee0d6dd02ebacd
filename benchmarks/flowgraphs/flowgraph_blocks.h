/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/bank_workloads.h"
#include "common/candidate.h"

#include <gnuradio/cldsp/engine_info.h>
#include <gnuradio/basic_block.h>

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
    std::function<gr::cldsp::engine_plan()> plan = [] { return gr::cldsp::engine_plan(); };
    std::function<std::string()> note = [] { return std::string(); };
    std::function<void(double)> set_center_freq;
    double bound_db = 0; //!< the largest permitted error against the reference
};

using maker = std::function<filter_blocks(const freq_xlating_fir_problem&)>;

//! GNU Radio's freq_xlating_fir_filter_ccc.
filter_blocks in_tree_fir(const freq_xlating_fir_problem& p);
//! The blocks that GNU Radio's freq_xlating_fft_filter_ccc consists of.
filter_blocks in_tree_fft(const freq_xlating_fir_problem& p);
//! This module's block for real or complex taps, on a device.
maker cldsp_ccf(const std::string& device);
maker cldsp_ccc(const std::string& device);
//! This module's bank for real taps on a device; for one channel, this module's filter.
filter_blocks cldsp_bank(const bank_workload& work, const std::string& device);
//! This module's block on VOLK.
filter_blocks cldsp_volk(const freq_xlating_fir_problem& p);

} // namespace cldsp::bench
