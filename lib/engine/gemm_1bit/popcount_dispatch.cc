// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses the kernels that count bits, those of AVX-512's own instruction first.

#include "gemm_1bit/popcount.h"
#include "simd/dispatch.h"

namespace cldsp {

CLDSP_DECLARE_KERNELS(popcount_kernels, popcounts)
#if defined(CLDSP_SIMD_X86)
namespace simd_avx512_popcount {
extern const popcount_kernels popcounts;
}
#endif

std::vector<const popcount_kernels*> available_popcount_kernels()
{
    auto result = runnable_kernels<popcount_kernels>(CLDSP_KERNEL_SETS(popcounts));
#if defined(CLDSP_SIMD_X86)
    if (runnable_kernel_sets() > 2 && __builtin_cpu_supports("avx512vpopcntdq"))
        result.insert(result.begin(), &simd_avx512_popcount::popcounts);
#endif
    return result;
}

} // namespace cldsp
