# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Builds the engine with the sanitizers, and runs its tests and fuzzers with them.

# STEP "build" builds the engine with the sanitizers in a separate folder, with one
# compiler at a time; STEP "test" runs tests with the label sanitizer there, three at once: those
# that reach into memory by an index. It is the engine that the
# sanitizers watch: the objects of the tests, which would take half of the time to compile,
# are those in OBJECTS, without sanitizers. What they get from the engine, and give to it, is
# memory of the heap, which is watched all the same. Kernels that the tests without
# sanitizers have compiled are used again.
# The compiler is a Clang that has libFuzzer, as FUZZ finds it. The fuzzers are then built from
# the same engine, and run as tests. Without such a Clang it is COMPILER, and there are no
# fuzzers. FLAGS are those of the tests, which may change the layout of types; Clang does not get
# them, because they may be ones that only another compiler knows.
# Variables: STEP, SOURCE, BUILD, OBJECTS, FUZZ, GENERATOR, COMPILER, FLAGS, CACHE, KERNELS, CTEST,
# SKIP_REASON.

foreach(reason IN ITEMS "${SKIP_REASON}" "$ENV{CLDSP_SKIP_SLOW_CHECKS}")
    if(NOT reason STREQUAL "")
        message("check skipped: ${reason}")
        return()
    endif()
endforeach()

include("${CMAKE_CURRENT_LIST_DIR}/slow_check.cmake")
if(STEP STREQUAL "build")
    execute_process(
        COMMAND "${FUZZ}" --find-clang
        OUTPUT_VARIABLE clang
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET)
    if(clang AND FLAGS STREQUAL "")
        set(compiler "-DCMAKE_CXX_COMPILER=${clang}" -DCLDSP_FUZZ=ON)
    else()
        # At -O1 GCC compiles for 1.6 times as long, and makes the tests only 4 % faster.
        set(compiler "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS} -Og")
    endif()
    run("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${BUILD}" -G "${GENERATOR}" ${compiler}
        -DCMAKE_BUILD_TYPE=None -DCLDSP_SANITIZE=address -DENABLE_TESTING=ON
        "-DCLDSP_TEST_CACHE=${CACHE}" "-DCLDSP_TEST_KERNELS=${KERNELS}"
        "-DCLDSP_TEST_OBJECTS=${OBJECTS}")
    run("${CMAKE_COMMAND}" --build "${BUILD}" --parallel 1)
else()
    run("${CMAKE_COMMAND}" -E chdir "${BUILD}" "${CTEST}" --output-on-failure -L sanitizer
        --no-tests=error --parallel 3 --timeout 1200)
endif()
