/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/gemm.h>

#include "opencl/matrix_units.h"

#include <cldsp/errors.h>

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

const std::vector<gemm_variant_info>& gemm_variants()
{
    using types = std::vector<gemm_type>;
    static const types real = { gemm_type::f32 };
    static const types stored = { gemm_type::f32, gemm_type::f16 };
    static const types every = { gemm_type::f32, gemm_type::c32, gemm_type::f16 };
    static const types with_bytes = {
        gemm_type::f32, gemm_type::c32, gemm_type::f16, gemm_type::s8
    };
    static const auto& variants = *new std::vector<gemm_variant_info>{
        { "naive",
          "one element of C a work-item, summed in C's memory",
          "desktop",
          every },
        { "coalesced",
          "as naive with B transposed first, so that both are read along rows",
          "desktop",
          every },
        { "private_sum", "as coalesced, summed in a register", "desktop", every },
        { "row_per_item", "one row of C a work-item", "desktop", real },
        { "row_private",
          "as row_per_item; the row of A is kept in private memory",
          "desktop",
          real },
        { "column_local",
          "as row_private; the group shares the column of B in local memory",
          "desktop",
          real },
        { "float4",
          "as column_local, with dot products of float4 made in the inner loop",
          "desktop",
          real },
        { "float4_row",
          "as float4; the row of A is kept as float4, made once",
          "desktop",
          real },
        { "float8",
          "as float4_row with float8, each two halves and two dot products",
          "desktop",
          real },
        { "tile4x4",
          "4 by 4 elements of C a work-item, A transposed first, vload4",
          "mobile",
          stored },
        { "buffer_8x4",
          "8 by 4 elements of C a work-item, from buffers",
          "mobile",
          stored },
        { "image_buffer", "as buffer_8x4; B is read through an image", "mobile", stored },
        { "dual_image",
          "A and B are read and C is written through images",
          "mobile",
          stored },
        { "tile4x4_fma", "as tile4x4 with fma()", "mobile", stored },
        { "cpu_tile",
          "for CPU devices: B is packed into panels, a register tile of vectors",
          "production",
          with_bytes },
        { "gpu_tile",
          "for GPUs: tiles in local memory, smaller ones in registers",
          "production",
          with_bytes },
        { "tensor",
          "for the matrix units of NVIDIA GPUs: floats are split into two parts",
          "production",
          with_bytes,
          min_tensor_capability },
        { "warpgroup",
          "as tensor for NVIDIA's Hopper GPUs: the units read packed blocks themselves",
          "production",
          with_bytes,
          warpgroup_capability,
          warpgroup_capability },
        { "clblast",
          "CLBlast's own kernels",
          "library",
          { gemm_type::f32, gemm_type::c32 } },
        { "simd",
          "on the host: B is packed, a register tile of vectors",
          "host",
          with_bytes },
    };
    return variants;
}

} // namespace cldsp
