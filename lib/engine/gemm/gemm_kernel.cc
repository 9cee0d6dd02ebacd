/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/gemm_kernel.h"

#include <cldsp/errors.h>

#include <algorithm>

namespace cldsp {

namespace {

const gemm_variant_info& find(const std::string& name)
{
    std::string known;
    for (const auto& variant : gemm_variants()) {
        if (variant.name == name)
            return variant;
        known += (known.empty() ? "" : ", ") + variant.name;
    }
    throw_invalid("variant", name, "one of " + known);
}

} // namespace

std::unique_ptr<gemm_kernel> make_gemm_kernel(const std::string& name,
                                              const gemm_kernel_args& args)
{
    const auto& variant = find(name);
    if (!variant.takes(args.type))
        throw_invalid(
            "variant", name, "one that takes matrices of " + type_name(args.type));
    if (variant.ladder == "desktop")
        return make_gemm_kernel_desktop(name, args);
    if (variant.ladder == "mobile")
        return make_gemm_kernel_mobile(name, args);
    if (name == "cpu_tile")
        return make_gemm_kernel_cpu(args);
    if (name == "gpu_tile")
        return make_gemm_kernel_gpu(args);
    if (name == "tensor")
        return make_gemm_kernel_tensor(args);
    if (name == "warpgroup")
        return make_gemm_kernel_warpgroup(args);
    if (name == "clblast")
        return make_gemm_kernel_clblast(args);
    throw_invalid("variant", name, "one that runs through OpenCL");
}

} // namespace cldsp
