# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Compiles the host's SIMD kernels once for each instruction set.

# The host's SIMD kernels. Each source listed here is compiled once for each instruction
# set, into a namespace of its own. dispatch.h picks the sets that the machine can run.

include(CheckCXXSourceCompiles)

set(simd_kernels
    correlator/host_correlator_simd
    direct/host_fir_simd
    fast_convolution/fold
    fft/row_transform
    fft/selective_transform
    gemm/host_gemm_simd
    gemm/stream_matrix_simd
    roofline/roofline_simd
    simd/mixer
    simd/samples)
file(GLOB simd_parts CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/../*/*.inc")

set(simd_optimisation -O3)
if(CLDSP_SANITIZE)
    set(simd_optimisation -O1)
    # The address sanitizer checks each access by a call. Checks in place would make the
    # transforms' long functions longer still, and the compiler would take several times as
    # long to give them registers. With Clang those for undefined behaviour take ten times as
    # long as all the rest.
    set(call_threshold "asan-instrumentation-with-call-threshold=0")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CLDSP_SANITIZE STREQUAL "thread")
        list(APPEND simd_optimisation "--param=${call_threshold}")
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CLDSP_SANITIZE STREQUAL "thread")
        list(APPEND simd_optimisation -fno-sanitize=undefined -mllvm "-${call_threshold}")
    endif()
endif()

# Before it knows which registers are free, GCC moves loads so far ahead of their use that the
# passes of the transforms no longer fit arm64's 32 vector registers.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND simd_optimisation -fno-schedule-insns)
endif()

# cldsp_simd_kernels(<set> <flag>...): adds the kernels for one instruction set to
# engine_sources.
macro(cldsp_simd_kernels set)
    foreach(kernels IN LISTS simd_kernels ITEMS gemm_1bit/popcount)
        get_filename_component(name "${kernels}" NAME)
        set(simd_source "${CMAKE_CURRENT_BINARY_DIR}/${name}_${set}.cc")
        file(GENERATE OUTPUT "${simd_source}"
             CONTENT "#define CLDSP_SIMD_NAMESPACE simd_${set}\n#include \"${kernels}.inc\"\n")
        # The kernels are optimised in every build type: otherwise a tile would lie in
        # memory instead of registers, and every test of it would take minutes. With the
        # sanitizers, a higher level of optimisation takes minutes to compile and makes no
        # test faster. The compiler may join a product and a sum into one operation.
        set_source_files_properties(
            "${simd_source}"
            PROPERTIES GENERATED ON
                       SKIP_PRECOMPILE_HEADERS ON # made with other flags
                       COMPILE_OPTIONS "${simd_optimisation};-ffp-contract=fast;${ARGN}"
                       OBJECT_DEPENDS "${simd_parts}")
        list(APPEND engine_sources "${simd_source}")
    endforeach()
endmacro()

cldsp_simd_kernels(baseline)
check_cxx_source_compiles(
    "#if !defined(__x86_64__)
     #error
     #endif
     int main() { return __builtin_cpu_supports(\"avx512vl\"); }"
    CLDSP_SIMD_X86)
if(CLDSP_SIMD_X86)
    cldsp_simd_kernels(avx2 -mavx2 -mfma)
    cldsp_simd_kernels(avx512 -mavx2 -mfma -mavx512f -mavx512vl
                       -mprefer-vector-width=512)

    # The instruction set with a population count, for the only kernels that use it.
    set(simd_kernels "")
    cldsp_simd_kernels(avx512_popcount -mavx2 -mfma -mavx512f -mavx512vl
                       -mavx512vpopcntdq -mprefer-vector-width=512)
endif()
