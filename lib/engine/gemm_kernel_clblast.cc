/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_kernel.h"

#include <cldsp/errors.h>

namespace cldsp {

std::unique_ptr<gemm_kernel> make_gemm_kernel_clblast(const gemm_kernel_args&)
{
    throw_invalid("variant", "clblast", "one of those in this build");
}

} // namespace cldsp
