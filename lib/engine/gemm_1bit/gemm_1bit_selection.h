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

//! What computes correlations, and how that came about.
using gemm_1bit_selection = selection<gemm_1bit_executor>;

//! \param name of the argument. \throws std::invalid_argument for codes of so many bits
void check_gemm_1bit_bits(const std::string& name, std::size_t bits);

/*!
 * Picks what computes: as the options force it, else what choose_plan() finds among every
 * device, transfers included.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
gemm_1bit_selection select_gemm_1bit(const gemm_1bit_codes& codes,
                                     std::size_t typical_items,
                                     const gemm_options& options,
                                     context_registry& registry);

//! The host in place of what failed. \param why in a few words
gemm_1bit_selection host_gemm_1bit_instead(const gemm_1bit_codes& codes,
                                           const std::string& why);

} // namespace cldsp
