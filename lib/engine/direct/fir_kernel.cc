/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_kernel.h"

namespace cldsp {

std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args)
{
    if (variant == "cpu_tile")
        return make_fir_kernel_cpu(args);
    if (variant == "gpu_tile")
        return make_fir_kernel_gpu(args);
    return make_fir_kernel_ladder(variant, args);
}

} // namespace cldsp
