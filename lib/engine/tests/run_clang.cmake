# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Lets Clang compile the whole engine, and builds the fuzzers and runs each briefly, all
# in a separate folder. Variables: SOURCE, BUILD, FUZZ (the script that finds Clang),
# CTEST, SKIP_REASON.

foreach(reason IN ITEMS "${SKIP_REASON}" "$ENV{CLDSP_SKIP_SLOW_CHECKS}")
    if(NOT reason STREQUAL "")
        message("check skipped: ${reason}")
        return()
    endif()
endforeach()

execute_process(
    COMMAND "${FUZZ}" --find-clang
    OUTPUT_VARIABLE clang
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET)
if(NOT clang)
    message("check skipped: there is no Clang with libFuzzer "
            "(Debian: clang, libclang-rt-dev)")
    return()
endif()

include("${CMAKE_CURRENT_LIST_DIR}/slow_check.cmake")
# The user's flags may be ones that only another compiler knows. What is not installed in the
# usual places is found by CMAKE_PREFIX_PATH.
run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" "-DCMAKE_CXX_COMPILER=${clang}"
    -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS= -DCLDSP_FUZZ=ON -DENABLE_TESTING=OFF)
run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 1
    --target cldsp_engine_syntax cldsp_fuzzers)
run("${CMAKE_COMMAND}" -E chdir "${BUILD}" "${CTEST}" --output-on-failure --no-tests=error --timeout 600)
