/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_load.h"
#include <cldsp/tunables.h>
#include <sstream>

namespace gr {
namespace cldsp {

kernel_to_tune gemm_kernel_to_tune(::cldsp::gemm_type type,
                                   const ::cldsp::gemm_shape& shape,
                                   const std::string& variant)
{
    std::ostringstream key;
    key << "gemm " << ::cldsp::type_name(type) << ' ' << shape.m << ' ' << shape.n << ' '
        << shape.k << ' ' << variant;
    return {
        key.str(),
        [=](::cldsp::context_registry& registry, const ::cldsp::device_info& device) {
            return ::cldsp::make_gemm_tunable(registry, device, type, shape, variant);
        }
    };
}

std::vector<kernel_to_tune> kernels_to_tune_of(const gemm_load& load)
{
    if (load.variant != "auto" && load.variant != "cpu_tile" &&
        load.variant != "gpu_tile")
        return {};
    return { gemm_kernel_to_tune(load.type, load.typical, load.variant) };
}

::cldsp::kernel_work gemm_work(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape)
{
    if (shape.m == 0 || shape.n == 0 || shape.k == 0)
        return {};
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
    ::cldsp::kernel_work work;
    work.operations = shape.operations(type);
    work.bytes =
        (m * k + k * n + m * n) * static_cast<double>(::cldsp::element_size(type));
    return work;
}

} // namespace cldsp
} // namespace gr
