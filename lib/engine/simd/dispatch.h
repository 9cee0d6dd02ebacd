// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Chooses among the kernels that were compiled for several instruction sets.

#pragma once

#include <vector>

/*
 * Each kernel file (.inc) is compiled once for each instruction set, into a namespace of
 * its own: see simd.cmake. The functions below pick the sets that the machine can run.
 */

// Declares, in the namespace of each set, a variable \p name of type \p kernels.
#if defined(CLDSP_SIMD_X86)
#define CLDSP_DECLARE_KERNELS(kernels, name) \
    namespace simd_baseline {                \
    extern const kernels name;               \
    }                                        \
    namespace simd_avx2 {                    \
    extern const kernels name;               \
    }                                        \
    namespace simd_avx512 {                  \
    extern const kernels name;               \
    }
#define CLDSP_KERNEL_SETS(name) \
    &simd_baseline::name, &simd_avx2::name, &simd_avx512::name
#else
#define CLDSP_DECLARE_KERNELS(kernels, name) \
    namespace simd_baseline {                \
    extern const kernels name;               \
    }
#define CLDSP_KERNEL_SETS(name) &simd_baseline::name, nullptr, nullptr
#endif

namespace cldsp {

//! The number of kernel sets that the machine runs: 1 for the baseline, 2 with AVX2, 3
//! with AVX-512.
int runnable_kernel_sets();
//! The name of the fastest set that the machine runs, e.g. "simd_avx2".
const char* instruction_set();

//! The sets of CLDSP_KERNEL_SETS() that the machine can run, the fastest first; never
//! empty.
template <class Kernels>
std::vector<const Kernels*>
runnable_kernels(const Kernels* baseline, const Kernels* avx2, const Kernels* avx512)
{
    std::vector<const Kernels*> result;
    if (runnable_kernel_sets() > 2)
        result.push_back(avx512);
    if (runnable_kernel_sets() > 1)
        result.push_back(avx2);
    result.push_back(baseline);
    return result;
}

} // namespace cldsp
