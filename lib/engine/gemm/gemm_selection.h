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
#include <vector>

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

//! One way of computing a product on a device.
struct gemm_way {
    std::string variant;
    gemm_precision precision = gemm_precision::exact;
};

/*!
 * The ways that the options leave open on a device. "auto" tries the device's own kernel,
 * and the variants for its matrix units, both exact and in the precision that the options
 * permit. A variant with a name has only one way, which is the least precise one.
 *
 * \param type,options the type of the elements, and the options that the user gave
 * \param device the device, or the host
 * \param of_matrix_units the variants for its matrix units, see matrix_unit_variants()
 * \returns nothing for a variant that runs elsewhere: on the host, or on devices
 */
std::vector<gemm_way> gemm_ways(gemm_type type,
                                const gemm_options& options,
                                const device_info& device,
                                const std::vector<std::string>& of_matrix_units);
//! The same for a device that is asked for its matrix units.
std::vector<gemm_way>
gemm_ways(gemm_type type, const gemm_options& options, const device_info& device);

//! The text that names the devices for a product: a variant of the host loads no driver.
//! \throws std::invalid_argument for an unknown variant
std::string gemm_devices(gemm_type type, const gemm_options& options);

//! The candidate that computes in this way, without a prediction or a trial.
plan_candidate gemm_candidate(const device_info& device, const gemm_way& way);

/*!
 * Sets plan_candidate::exact_because of the exact candidates, where the options permit
 * less.
 *
 * \param candidates all candidates
 * \param type,options the type of the elements, and the options that the user gave
 * \param otherwise the reason if no candidate is less precise and no variant was named
 */
void explain_exact(std::vector<plan_candidate>& candidates,
                   gemm_type type,
                   const gemm_options& options,
                   const std::string& otherwise = "no matrix units");

//! \throws std::invalid_argument unless the variant is "auto" or one that takes the type,
//!         and for an unknown precision
void check_gemm_options(gemm_type type, const gemm_options& options);

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
