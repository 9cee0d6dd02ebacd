// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The types of matrices, the table of variants that multiply them, and their kernels.

#include "gemm/gemm_problem.h"
#include "opencl/matrix_units.h"

#include <cldsp/errors.h>
#include <cldsp/gemm.h>

#include <algorithm>
#include <cstdint>

namespace cldsp {

std::size_t element_size(gemm_type type)
{
    switch (type) {
    case gemm_type::f32:
        return sizeof(float);
    case gemm_type::c32:
        return sizeof(std::complex<float>);
    case gemm_type::f16:
        return sizeof(std::uint16_t);
    case gemm_type::s8:
        break;
    }
    return 1;
}

std::size_t result_size(gemm_type type)
{
    return type == gemm_type::s8 ? sizeof(std::int32_t) : element_size(type);
}

std::string type_name(gemm_type type)
{
    switch (type) {
    case gemm_type::f32:
        return "f32";
    case gemm_type::c32:
        return "c32";
    case gemm_type::f16:
        return "f16";
    case gemm_type::s8:
        break;
    }
    return "s8";
}

std::string precision_name(gemm_precision precision)
{
    switch (precision) {
    case gemm_precision::exact:
        return "exact";
    case gemm_precision::tf32:
        return "tf32";
    case gemm_precision::half:
        break;
    }
    return "half";
}

gemm_precision gemm_precision_of(const std::string& name)
{
    for (const auto precision :
         { gemm_precision::exact, gemm_precision::tf32, gemm_precision::half })
        if (precision_name(precision) == name)
            return precision;
    throw_invalid("precision", "'" + name + "'", "'exact', 'tf32' or 'half'");
}

double gemm_shape::operations(gemm_type type) const
{
    const double products =
        static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    return (type == gemm_type::c32 ? 8 : 2) * products;
}

bool gemm_variant_info::takes(gemm_type type) const
{
    return std::find(types.begin(), types.end(), type) != types.end();
}

bool gemm_variant_info::fits(const device_info& device) const
{
    if (min_compute_capability == 0)
        return true;
    return max_compute_capability == warpgroup_capability
               ? missing_warpgroup_reason(device).empty()
               : missing_tensor_reason(device).empty();
}

const std::vector<gemm_type>& gemm_types_without_bytes()
{
    static const auto& types =
        *new std::vector<gemm_type>{ gemm_type::f32, gemm_type::c32, gemm_type::f16 };
    return types;
}

const std::vector<gemm_type>& gemm_types_with_bytes()
{
    static const auto& types = *new std::vector<gemm_type>{
        gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
    };
    return types;
}

const variant_table<gemm_problem>& gemm_problem::variants()
{
    static const auto& all = *new auto([] {
        auto table = gemm_desktop_ladder();
        const auto& mobile = gemm_mobile_ladder();
        table.insert(table.end(), mobile.begin(), mobile.end());
        table.push_back(&gemm_cpu_tile_variant());
        table.push_back(&gemm_gpu_tile_variant());
        table.push_back(&gemm_tensor_variant());
        table.push_back(&gemm_warpgroup_variant());
        table.push_back(&gemm_clblast_variant());
        table.push_back(&gemm_simd_variant());
        return table;
    }());
    return all;
}

const std::vector<gemm_variant_info>& gemm_variants()
{
    static const auto& all = *new auto([] {
        std::vector<gemm_variant_info> infos;
        for (const auto* variant : gemm_problem::variants())
            infos.push_back(variant->info);
        return infos;
    }());
    return all;
}

std::unique_ptr<gemm_kernel> make_gemm_kernel(const std::string& name,
                                              const gemm_kernel_args& args)
{
    std::string known;
    for (const auto* variant : gemm_problem::variants()) {
        if (variant->name != name) {
            known += (known.empty() ? "" : ", ") + variant->name;
            continue;
        }
        if (!variant->info.takes(args.type))
            throw_invalid(
                "variant", name, "one that takes matrices of " + type_name(args.type));
        if (variant->host)
            throw_invalid("variant", name, "one that runs through OpenCL");
        return variant->make_kernel(args);
    }
    throw_invalid("variant", name, "one of " + known);
}

} // namespace cldsp
