/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/gemm_load.h"
#include <cldsp/gemm_1bit_tunable.h>
#include <cldsp/gemm_tunable.h>
#include <sstream>

namespace gr {
namespace cldsp {

namespace {

std::string sizes_key(const ::cldsp::gemm_shape& shape, const std::string& variant)
{
    std::ostringstream key;
    key << shape.m << ' ' << shape.n << ' ' << shape.k << ' ' << variant;
    return key.str();
}

} // namespace

kernel_to_tune gemm_kernel_to_tune(::cldsp::gemm_type type,
                                   const ::cldsp::gemm_shape& shape,
                                   const std::string& variant)
{
    return {
        std::string("gemm ") + ::cldsp::type_name(type) + ' ' + sizes_key(shape, variant),
        [=](::cldsp::context_registry& registry, const ::cldsp::device_info& device) {
            return ::cldsp::make_gemm_tunable(registry, device, type, shape, variant);
        }
    };
}

kernel_to_tune gemm_1bit_kernel_to_tune(const ::cldsp::gemm_shape& shape,
                                        const std::string& variant)
{
    return { "gemm_1bit " + sizes_key(shape, variant),
             [=](::cldsp::context_registry& registry,
                 const ::cldsp::device_info& device) {
                 return ::cldsp::make_gemm_1bit_tunable(registry, device, shape, variant);
             } };
}

std::vector<kernel_to_tune> kernels_to_tune_of(const gemm_load& load)
{
    if (!has_parameters(load.variant))
        return {};
    return { gemm_kernel_to_tune(load.type, load.typical, load.variant) };
}

std::vector<kernel_to_tune> kernels_to_tune_of_1bit(const ::cldsp::gemm_shape& typical,
                                                    const std::string& variant)
{
    if (!has_parameters(variant))
        return {};
    return { gemm_1bit_kernel_to_tune(typical, variant) };
}

::cldsp::kernel_work gemm_work(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape)
{
    if (shape.m == 0 || shape.n == 0 || shape.k == 0)
        return {};
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
    ::cldsp::kernel_work work;
    work.operations = shape.operations(type);
    work.bytes = (m * k + k * n) * static_cast<double>(::cldsp::element_size(type)) +
                 m * n * static_cast<double>(::cldsp::result_size(type));
    return work;
}

} // namespace cldsp
} // namespace gr
