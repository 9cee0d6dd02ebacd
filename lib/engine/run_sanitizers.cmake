# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Builds the engine with the sanitizers in a folder of its own and runs its tests there.
# Variables: SOURCE, BUILD, GENERATOR, COMPILER, CTEST, SKIP_REASON.

foreach(reason IN ITEMS "${SKIP_REASON}" "$ENV{CLDSP_SKIP_SLOW_CHECKS}")
    if(NOT reason STREQUAL "")
        message("check skipped: ${reason}")
        return()
    endif()
endforeach()

# What a command prints is shown only if it fails, and of a log only what is no success.
function(run)
    execute_process(
        COMMAND ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        string(REGEX REPLACE "(\\[ *[0-9]+%\\]| +Start +[0-9]+:| *[0-9]+/[0-9]+ Test +#[0-9]+: [^\n]* Passed )[^\n]*\n"
                             "" output "${output}")
        message("${output}")
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "failed (${result}): ${command}")
    endif()
endfunction()

run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1
    -DCLDSP_SANITIZE=ON -DENABLE_TESTING=ON)
run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 2)
run("${CTEST}" --test-dir "${BUILD}" --output-on-failure --no-tests=error --timeout 1200)
