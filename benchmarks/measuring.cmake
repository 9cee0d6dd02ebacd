# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# The library of workloads and measurements that benchmarks and command share.

# The sources that the benchmarks and the command cldsp share: the workloads, candidates
# that can be timed, the measurement, and tables. The file that includes this one must
# know the engine and NLOHMANN_JSON_INCLUDE_DIR.

find_package(Volk QUIET)
if(NOT TARGET Volk::volk)
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(volk REQUIRED IMPORTED_TARGET volk)
    add_library(Volk::volk ALIAS PkgConfig::volk)
endif()

if(TARGET cldsp_measuring)
    return()
endif()
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/PrecompiledHeaders.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/../cmake/UnityBuild.cmake")

add_library(
    cldsp_measuring STATIC
    "${CMAKE_CURRENT_LIST_DIR}/filters/bank_calls.cc"
    "${CMAKE_CURRENT_LIST_DIR}/filters/bank_candidates.cc"
    "${CMAKE_CURRENT_LIST_DIR}/filters/bank_workloads.cc"
    "${CMAKE_CURRENT_LIST_DIR}/filters/candidate.cc"
    "${CMAKE_CURRENT_LIST_DIR}/filters/engine_candidates.cc"
    "${CMAKE_CURRENT_LIST_DIR}/matrices/gemm_1bit_product.cc"
    "${CMAKE_CURRENT_LIST_DIR}/matrices/gemm_device_candidates.cc"
    "${CMAKE_CURRENT_LIST_DIR}/matrices/gemm_host_candidates.cc"
    "${CMAKE_CURRENT_LIST_DIR}/matrices/gemm_workloads.cc"
    "${CMAKE_CURRENT_LIST_DIR}/common/machine.cc"
    "${CMAKE_CURRENT_LIST_DIR}/common/measure.cc"
    "${CMAKE_CURRENT_LIST_DIR}/common/output_file.cc"
    "${CMAKE_CURRENT_LIST_DIR}/matrices/openblas.cc"
    "${CMAKE_CURRENT_LIST_DIR}/common/results.cc"
    "${CMAKE_CURRENT_LIST_DIR}/common/text.cc"
    "${CMAKE_CURRENT_LIST_DIR}/filters/workloads.cc")
target_compile_features(cldsp_measuring PUBLIC cxx_std_17)
# Only what the engine and the libraries do is measured.
target_compile_options(cldsp_measuring PRIVATE -Wall -Wextra $<$<CONFIG:Release>:-O1>)
target_include_directories(cldsp_measuring PUBLIC "${CMAKE_CURRENT_LIST_DIR}")
target_include_directories(cldsp_measuring SYSTEM PUBLIC ${NLOHMANN_JSON_INCLUDE_DIR})
# Candidates of one block size, and kernels alone, are made with the engine's internal
# headers.
target_include_directories(cldsp_measuring
                           PRIVATE "${CMAKE_CURRENT_LIST_DIR}/../lib/engine")
target_link_libraries(cldsp_measuring PUBLIC cldsp_library
                      PRIVATE Volk::volk ${CMAKE_DL_LIBS})
cldsp_unity_build(cldsp_measuring)
