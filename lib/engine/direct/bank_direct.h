/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"
#include "filter/bank_executor.h"
#include "filter/plan_shape.h"

#include <cldsp/context.h>
#include <cldsp/tuning_values.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A filter of the host for each channel; the pool's threads share the channels.
 *
 * \param variant "volk", "simd" or "auto"
 * \param alone a call of one thread, for short calls that are not worth waking others
 * \throws std::invalid_argument
 */
std::unique_ptr<bank_executor> make_host_bank_direct(const std::string& variant,
                                                     const std::vector<fir_setup>& setups,
                                                     std::shared_ptr<thread_pool> pool,
                                                     const seconds_of_shape& alone);

/*!
 * A filter of an OpenCL device for each channel, one after the other.
 *
 * \param variant, transfer as of make_opencl_fir()
 * \param tuned the values of a channel's kernel; empty: none are tuned
 * \throws std::invalid_argument if the device cannot run them; opencl_error
 */
std::unique_ptr<bank_executor>
make_opencl_bank_direct(std::shared_ptr<context> device,
                        const std::string& variant,
                        const std::string& transfer,
                        const std::vector<fir_setup>& setups,
                        const std::function<tuning_values(const fir_setup&)>& tuned = {});

} // namespace cldsp
