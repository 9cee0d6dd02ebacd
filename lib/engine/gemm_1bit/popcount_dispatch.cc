/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/popcount.h"

namespace cldsp {

// simd.cmake compiles the kernels for each of these and says which there are.
#define CLDSP_DECLARE_KERNELS(set)           \
    namespace set {                          \
    extern const popcount_kernels popcounts; \
    }
CLDSP_DECLARE_KERNELS(simd_baseline)
#if defined(CLDSP_SIMD_X86)
CLDSP_DECLARE_KERNELS(simd_avx2)
CLDSP_DECLARE_KERNELS(simd_avx512)
CLDSP_DECLARE_KERNELS(simd_avx512_popcount)
#endif
#undef CLDSP_DECLARE_KERNELS

std::vector<const popcount_kernels*> available_popcount_kernels()
{
    std::vector<const popcount_kernels*> result;
#if defined(CLDSP_SIMD_X86)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                            __builtin_cpu_supports("avx512vl");
    if (has_avx512 && __builtin_cpu_supports("avx512vpopcntdq"))
        result.push_back(&simd_avx512_popcount::popcounts);
    if (has_avx512)
        result.push_back(&simd_avx512::popcounts);
    if (has_avx2)
        result.push_back(&simd_avx2::popcounts);
#endif
    result.push_back(&simd_baseline::popcounts);
    return result;
}

} // namespace cldsp
