/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "gemm/gemm_executor.h"
#include "planning/selection.h"

#include <cldsp/chosen_plan.h>

#include <memory>
#include <string>

namespace cldsp {

//! What computes products, and how that came about.
using gemm_selection = selection<gemm_executor>;

/*!
 * Picks what computes: as the options force it, else what choose_plan() finds among the
 * host and every device that they leave open, transfers included.
 *
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
gemm_selection select_gemm(gemm_type type,
                           const gemm_shape& typical,
                           const gemm_options& options,
                           context_registry& registry);

//! \throws std::invalid_argument unless "auto" or a variant that takes the type
void check_gemm_variant(gemm_type type, const std::string& name);

//! \throws std::invalid_argument for a size of 0
void check_gemm_shape(const gemm_shape& shape);

//! The variant that "auto" is on a device: simd, cpu_tile or gpu_tile.
std::string automatic_gemm_variant(const device_info& device);
//! How matrices reach a device: see gemm::transfer_name().
std::string gemm_transfer(const device_info& device);

//! The host, in place of a device that failed. \param why in a few words
gemm_selection host_gemm_instead(gemm_type type, const std::string& why);

} // namespace cldsp
