/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/filter_problem.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*!
 * The direct frequency-xlating FIR filter on an OpenCL device: the family "fir_cpu_tile"
 * or "fir_gpu_tile". Times are those of a whole call on a CPU device, and of the kernel
 * alone on others; errors are in dB of the outputs' peak. The filter reads the tuned
 * values when it is made.
 *
 * \param registry gives the options, and the device where a point is adopted
 * \param typical_items input items of a call, 1 or more
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one for the kind of device
 * \throws std::invalid_argument for a bad problem or variant, or the host; opencl_error
 */
std::unique_ptr<device_tunable> make_fir_tunable(context_registry& registry,
                                                 const device_info& device,
                                                 const freq_xlating_fir_problem& problem,
                                                 std::size_t typical_items,
                                                 const std::string& variant = "auto");

} // namespace cldsp
