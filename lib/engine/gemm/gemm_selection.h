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

//! The executor that computes products, and how the choice came about.
using gemm_selection = selection<gemm_executor>;

/*!
 * Chooses the executor: the one that the options demand, or else the one that
 * choose_plan() finds among the host, the devices and the transfers that the options
 * leave open.
 *
 * \param type the type of the elements
 * \param typical the sizes of a typical call
 * \param options the options that the user gave
 * \param registry the contexts of the devices
 * \throws std::invalid_argument for options that nothing here can satisfy
 */
gemm_selection select_gemm(gemm_type type,
                           const gemm_shape& typical,
                           const gemm_options& options,
                           context_registry& registry);

//! \throws std::invalid_argument unless \p name is "auto" or a variant that takes the
//!         type
void check_gemm_variant(gemm_type type, const std::string& name);

//! \throws std::invalid_argument if a size is 0
void check_gemm_shape(const gemm_shape& shape);

//! The variant that "auto" stands for on a device: simd, cpu_tile or gpu_tile.
std::string automatic_gemm_variant(const device_info& device);
//! The way in which matrices reach a device; see gemm::transfer_name().
std::string gemm_transfer(const device_info& device);

//! The host as a replacement for a device that failed.
//! \param type the type of the elements
//! \param why the reason, in a few words
gemm_selection host_gemm_instead(gemm_type type, const std::string& why);

} // namespace cldsp
