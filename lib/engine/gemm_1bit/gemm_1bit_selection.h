/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm_1bit/gemm_1bit_executor.h"
#include "planning/selection.h"

#include <cldsp/chosen_plan.h>

#include <memory>
#include <string>

namespace cldsp {

//! The executor that computes correlations, and how the choice came about.
using gemm_1bit_selection = selection<gemm_1bit_executor>;

//! \param name name of the argument, for the message
//! \param bits number of bits in a code
//! \throws std::invalid_argument if codes cannot have this number of bits
void check_gemm_1bit_bits(const std::string& name, std::size_t bits);

/*!
 * Chooses the executor: the one that the options demand, or else the one that
 * choose_plan() finds among all devices and transfers.
 *
 * \param codes the codes to correlate with
 * \param typical_items the number of items in a typical call
 * \param options the options that the user gave
 * \param registry the contexts of the devices
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
gemm_1bit_selection select_gemm_1bit(const gemm_1bit_codes& codes,
                                     std::size_t typical_items,
                                     const gemm_options& options,
                                     context_registry& registry);

//! The host as a replacement for a device that failed.
//! \param codes the codes to correlate with
//! \param why the reason, in a few words
gemm_1bit_selection host_gemm_1bit_instead(const gemm_1bit_codes& codes,
                                           const std::string& why);

} // namespace cldsp
