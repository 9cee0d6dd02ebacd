/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/host_fir_simd.h"
#include "gemm/host_gemm_simd.h"
#include "fast_convolution/overlap_save_simd.h"
#include "roofline/roofline_simd.h"
#include "fft/row_transform.h"
#include "gemm/stream_matrix_simd.h"

namespace cldsp {

// host_simd.cmake compiles the kernels for each of these and says which there are.
#define CLDSP_DECLARE_KERNELS(set)                      \
    namespace set {                                     \
    extern const simd_kernels kernels;                  \
    extern const overlap_save_kernels fold_kernels;     \
    extern const row_kernels row_transforms;            \
    extern const roofline_kernels roofs;                \
    extern const stream_matrix_kernels stream_products; \
    extern const host_gemm_set gemm_set;                \
    }
CLDSP_DECLARE_KERNELS(simd_baseline)
#if defined(CLDSP_SIMD_X86)
CLDSP_DECLARE_KERNELS(simd_avx2)
CLDSP_DECLARE_KERNELS(simd_avx512)
#endif
#undef CLDSP_DECLARE_KERNELS

namespace {

//! Those of the pointers that the machine can run.
template <class Kernels>
std::vector<const Kernels*> runnable(const Kernels* baseline,
                                     [[maybe_unused]] const Kernels* avx2,
                                     [[maybe_unused]] const Kernels* avx512)
{
    std::vector<const Kernels*> result;
#if defined(CLDSP_SIMD_X86)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512vl"))
        result.push_back(avx512);
    if (has_avx2)
        result.push_back(avx2);
#endif
    result.push_back(baseline);
    return result;
}

} // namespace

#if defined(CLDSP_SIMD_X86)
#define CLDSP_SETS_OF(name) &simd_baseline::name, &simd_avx2::name, &simd_avx512::name
#else
#define CLDSP_SETS_OF(name) &simd_baseline::name, nullptr, nullptr
#endif

std::vector<const simd_kernels*> available_simd_kernels()
{
    return runnable<simd_kernels>(CLDSP_SETS_OF(kernels));
}

std::vector<const overlap_save_kernels*> available_overlap_save_kernels()
{
    return runnable<overlap_save_kernels>(CLDSP_SETS_OF(fold_kernels));
}

std::vector<const row_kernels*> available_row_kernels()
{
    return runnable<row_kernels>(CLDSP_SETS_OF(row_transforms));
}

std::vector<const roofline_kernels*> available_roofline_kernels()
{
    return runnable<roofline_kernels>(CLDSP_SETS_OF(roofs));
}

std::vector<const stream_matrix_kernels*> available_stream_matrix_kernels()
{
    return runnable<stream_matrix_kernels>(CLDSP_SETS_OF(stream_products));
}

std::vector<const host_gemm_set*> available_host_gemm_sets()
{
    return runnable<host_gemm_set>(CLDSP_SETS_OF(gemm_set));
}

} // namespace cldsp
