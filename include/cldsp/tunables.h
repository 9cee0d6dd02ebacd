/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/freq_xlating_fir.h>
#include <cldsp/gemm.h>
#include <cldsp/tuned.h>

#include <cstddef>
#include <memory>
#include <string>

namespace cldsp {

/*
 * The engine's kernels as a tuner sees them. What is built while tuning stays off the
 * disk; the point adopted at the end is built there too.
 */

/*!
 * The direct frequency-xlating FIR filter on an OpenCL device: the family "fir_cpu_tile"
 * or "fir_gpu_tile". Times are of a whole call on a CPU device, of the kernel alone on
 * others; errors are in dB of the outputs' peak. The filter reads what was tuned when it
 * is made.
 *
 * \param registry for its options, and the device where a point is adopted
 * \param typical_items input items of a call, 1 or more
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one for the kind of device
 * \throws std::invalid_argument for a bad problem or variant, or the host; opencl_error
 */
std::unique_ptr<device_tunable> make_fir_tunable(context_registry& registry,
                                                 const device_info& device,
                                                 const freq_xlating_fir_problem& problem,
                                                 std::size_t typical_items,
                                                 const std::string& variant = "auto");

/*!
 * The matrix product on an OpenCL device: the family "gemm_cpu_tile" or "gemm_gpu_tile".
 * Times are of a whole call on a CPU device, of the kernels alone on others; errors are
 * gemm_error()'s, of large products at places all over C. The class gemm reads what was
 * tuned when it is made.
 *
 * \param typical the sizes of a call
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one for the kind of device
 * \throws std::invalid_argument for a size of 0, the host, a variant that has nothing to
 *         tune, or "gpu_tile" of complex products on PoCL 6, whose compiler ends the
 *         process at some sizes; opencl_error
 */
std::unique_ptr<device_tunable> make_gemm_tunable(context_registry& registry,
                                                  const device_info& device,
                                                  gemm_type type,
                                                  const gemm_shape& typical,
                                                  const std::string& variant = "auto");

/*!
 * The 1-bit product on an OpenCL device: the family "gemm_1bit_cpu_tile" or
 * "gemm_1bit_gpu_tile". Times are of a whole call on a CPU device, of the kernels alone
 * on others; the error is the largest difference from the host's correlations, and none
 * is allowed. The class gemm_1bit reads what was tuned when it is made.
 *
 * \param typical m items a call, n codes, k bits of each, a multiple of 8
 * \param variant "cpu_tile", "gpu_tile", or "auto": the one for the kind of device
 * \throws std::invalid_argument for a size of 0, a bad number of bits, the host, a
 * variant that has nothing to tune, or codes too long for the device's buffers;
 *         opencl_error
 */
std::unique_ptr<device_tunable>
make_gemm_1bit_tunable(context_registry& registry,
                       const device_info& device,
                       const gemm_shape& typical,
                       const std::string& variant = "auto");

/*!
 * Fast convolution through OpenCL: the family "fast_convolution_vkfft", of which the
 * block is the parameter that counts. Times are of a whole call on a CPU device, of the
 * kernels alone on others; errors are in dB of the outputs' peak. Filters and banks read
 * what was tuned when they are made; a bank takes it as for one filter of its longest
 * taps.
 *
 * \param typical_items input items of a call, 1 or more
 * \param accuracy see freq_xlating_fir_options
 * \throws std::invalid_argument for a bad problem or accuracy, the host, an engine
 * without VkFFT, or taps too long for the device; opencl_error
 */
std::unique_ptr<device_tunable>
make_fast_convolution_tunable(context_registry& registry,
                              const device_info& device,
                              const freq_xlating_fir_problem& problem,
                              std::size_t typical_items,
                              double accuracy = 1e-5);

/*!
 * Whether a filter with these options, or a bank with equal ones, may run fast
 * convolution through OpenCL on a device that is not the host. On a CPU device it has to
 * be asked for by name: there it compiles for seconds and is slower than the host's.
 */
bool may_run_fast_convolution(const freq_xlating_fir_options& options,
                              const device_info& device);

} // namespace cldsp
