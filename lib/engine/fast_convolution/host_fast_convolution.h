/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/bank_executor.h"
#include "filter/fir_executor.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

class thread_pool;

/*!
 * Fast convolution on the host, in overlap-save blocks that each call's items are cut
 * into; nothing is kept from call to call, so that no output waits for a block to fill.
 * What a call leaves over is filtered directly where that costs less than a block.
 *
 * \param variant "rows", "grid" or "bins", see overlap_save.h
 * \param rows a block's outputs, those lost to the overlap included; 0: a size that suits
 *        the taps. It grows with the taps
 * \param accuracy see freq_xlating_fir_options
 * \throws std::invalid_argument for a variant, or rows, that do not fit the problem
 */
std::unique_ptr<fir_executor> make_host_fast_convolution(const std::string& variant,
                                                         const fir_setup& setup,
                                                         std::size_t rows,
                                                         double accuracy);

/*!
 * The same for a bank, which shares a block's forward transform.
 *
 * \param setups one a channel, of one input type and decimation
 * \param pool threads that blocks and channels are spread over
 */
std::unique_ptr<bank_executor>
make_host_fast_convolution_bank(const std::string& variant,
                                const std::vector<fir_setup>& setups,
                                std::size_t rows,
                                double accuracy,
                                std::shared_ptr<thread_pool> pool);

} // namespace cldsp
