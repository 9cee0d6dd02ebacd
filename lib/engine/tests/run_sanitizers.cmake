# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# STEP "build" builds the engine with the sanitizers in a separate folder, with one
# compiler at a time; STEP "test" runs its tests there, three at once. It is the engine that the
# sanitizers watch: the objects of the tests, which would take half of the time to compile,
# are those in OBJECTS, without sanitizers. What they get from the engine, and give to it, is
# memory of the heap, which is watched all the same. Kernels that the tests without
# sanitizers have compiled are used again. The level of optimisation is -Og, because -O1
# compiles for 1.6 times as long and makes the tests only 4 % faster. FLAGS are those of the
# tests, which may change the layout of types.
# Variables: STEP, SOURCE, BUILD, OBJECTS, GENERATOR, COMPILER, FLAGS, CACHE, CTEST, SKIP_REASON.

foreach(reason IN ITEMS "${SKIP_REASON}" "$ENV{CLDSP_SKIP_SLOW_CHECKS}")
    if(NOT reason STREQUAL "")
        message("check skipped: ${reason}")
        return()
    endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/slow_check.cmake")
if(STEP STREQUAL "build")
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" -DCMAKE_BUILD_TYPE=None
        "-DCMAKE_CXX_FLAGS=${FLAGS} -Og" -DCLDSP_SANITIZE=ON -DENABLE_TESTING=ON
        "-DCLDSP_TEST_CACHE=${CACHE}" "-DCLDSP_TEST_OBJECTS=${OBJECTS}")
    run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 1)
else()
    run("${CMAKE_COMMAND}" -E chdir "${BUILD}" "${CTEST}" --output-on-failure
        --no-tests=error --parallel 3 --timeout 1200)
endif()
