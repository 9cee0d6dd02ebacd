/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "host_fir_simd.h"

namespace cldsp {

// host_simd.cmake compiles host_fir_simd.inc for each of these and says which there are.
namespace simd_baseline {
extern const simd_kernels kernels;
}
#if defined(CLDSP_SIMD_X86)
namespace simd_avx2 {
extern const simd_kernels kernels;
}
namespace simd_avx512 {
extern const simd_kernels kernels;
}
#endif

std::vector<const simd_kernels*> available_simd_kernels()
{
    std::vector<const simd_kernels*> result;
#if defined(CLDSP_SIMD_X86)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        result.push_back(&simd_avx512::kernels);
    if (avx2)
        result.push_back(&simd_avx2::kernels);
#endif
    result.push_back(&simd_baseline::kernels);
    return result;
}

} // namespace cldsp
