// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks a product of a kernel for matrix units before the kernel is used.

#pragma once

#include "gemm/gemm_kernel.h"

#include <functional>
#include <string>

namespace cldsp {

/*!
 * Multiplies two matrices on the device, and checks some rows of the product. A driver that
 * translates a kernel's PTX in another way than the ones that are known would give a
 * product that is wrong, or less precise.
 *
 * \param args the device, its queue, the type and the precision
 * \param variant the name of the variant, for the error
 * \param shape the sizes of the product
 * \param multiply enqueues the multiplication
 * \throws std::invalid_argument if the product is wrong; opencl_error
 */
void check_trial_product(const gemm_kernel_args& args,
                         const std::string& variant,
                         const gemm_shape& shape,
                         const std::function<void(const gemm_device_call&)>& multiply);

} // namespace cldsp
