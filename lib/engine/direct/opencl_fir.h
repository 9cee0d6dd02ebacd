/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/fir_executor.h"

#include <cldsp/context.h>
#include <cldsp/tuning_values.h>

#include <memory>
#include <string>

namespace cldsp {

/*!
 * \param variant an OpenCL variant's name or "auto"
 * \param transfer "copy", "mapped" or "zero_copy"; which one wins is for the choice to
 * measure
 * \param tuned values of the kernel, see fir_values(); those that do not fit, and those
 * for a variant that has none, are passed over \throws std::invalid_argument if the
 * device cannot run them; opencl_error
 */
std::unique_ptr<fir_executor> make_opencl_fir(std::shared_ptr<context> device,
                                              const std::string& variant,
                                              const std::string& transfer,
                                              const fir_setup& setup,
                                              const tuning_values& tuned = {});

} // namespace cldsp
