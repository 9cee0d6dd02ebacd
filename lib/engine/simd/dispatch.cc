// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the processor which instruction sets it has.

#include "simd/dispatch.h"

namespace cldsp {

int runnable_kernel_sets()
{
#if defined(CLDSP_SIMD_X86)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") ? 3
                                                                                       : 2;
#endif
    return 1;
}

const char* instruction_set()
{
    constexpr const char* names[] = { "simd_baseline", "simd_avx2", "simd_avx512" };
    return names[runnable_kernel_sets() - 1];
}

} // namespace cldsp
