# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# The engine's tests: each qa_<name>.cc is a program, run as engine_<name> by ctest, and
# once more under each device profile where it uses a device.

find_path(CPPUNIT_INCLUDE_DIR cppunit/TestFixture.h)
find_library(CPPUNIT_LIBRARY cppunit)
if(NOT CPPUNIT_INCLUDE_DIR OR NOT CPPUNIT_LIBRARY)
    message(FATAL_ERROR "The tests need CppUnit (Debian: libcppunit-dev); "
                        "-DENABLE_TESTING=OFF builds without them")
endif()
add_library(cldsp_cppunit INTERFACE)
target_include_directories(cldsp_cppunit INTERFACE "${CPPUNIT_INCLUDE_DIR}")
target_link_libraries(cldsp_cppunit INTERFACE "${CPPUNIT_LIBRARY}")

# A cache of its own keeps the user's cache out of the tests, and the tests out of it.
# POCL_AFFINITY is what the engine itself would set.
set(engine_test_environment
    "POCL_AFFINITY=1" "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/test-cache")
set(engine_profiles vc4 cl12-min)

if(CLDSP_SANITIZE STREQUAL "thread")
    list(APPEND engine_test_environment
         "TSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/tsan.supp"
         "CLDSP_TEST_SMALL=1")
elseif(CLDSP_SANITIZE)
    # PoCL and LLVM keep memory until the process ends. LLVM may give a thread another stack
    # for its signals, which the sanitizer would take for its own and unmap.
    set(asan_options "use_sigaltstack=0")
    list(APPEND engine_test_environment "ASAN_OPTIONS=${asan_options}"
         "LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_SOURCE_DIR}/lsan.supp:print_suppressions=0"
         "UBSAN_OPTIONS=print_stacktrace=1" "CLDSP_TEST_SMALL=1")
endif()

add_library(cldsp_engine_qa_main OBJECT qa_main.cc)
target_link_libraries(cldsp_engine_qa_main PRIVATE cldsp_engine_options cldsp_cppunit)

# cldsp_engine_test(<name>): builds qa_<name>.cc and registers its tests.
function(cldsp_engine_test name)
    set(source "${CMAKE_CURRENT_SOURCE_DIR}/qa_${name}.cc")
    set(target "engine_qa_${name}")
    add_executable(${target} "${source}" $<TARGET_OBJECTS:cldsp_engine_qa_main>)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME "qa_${name}")
    target_link_libraries(${target} PRIVATE cldsp_engine cldsp_engine_options
                                            cldsp_cppunit)

    add_test(NAME engine_${name} COMMAND ${target})
    set_tests_properties(engine_${name} PROPERTIES ENVIRONMENT "${engine_test_environment}")

    # Only tests with a device, which qa_support.h and its like give them, have something to
    # repeat under a profile.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(STRINGS "${source}" uses_a_device REGEX "\"qa_.*support\\.h\"")
    if(uses_a_device AND NOT CLDSP_SANITIZE)
        foreach(profile IN LISTS engine_profiles)
            add_test(NAME engine_${name}_${profile} COMMAND ${target})
            set_tests_properties(
                engine_${name}_${profile}
                PROPERTIES ENVIRONMENT
                           "${engine_test_environment};CLDSP_TEST_PROFILE=${profile}")
        endforeach()
    endif()
endfunction()

file(GLOB qa_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/qa_*.cc")
foreach(source IN LISTS qa_sources)
    get_filename_component(stem "${source}" NAME_WE)
    string(REGEX REPLACE "^qa_" "" name "${stem}")
    if(NOT name STREQUAL "main")
        cldsp_engine_test(${name})
    endif()
endforeach()

########################################################################
# Faults in every call of OpenCL
########################################################################
# Its own functions of OpenCL's names go before the library's, for CLBlast as well, which
# finds them where the program exports them.
add_executable(
    inject_faults
    fault_injection/inject_faults.cc fault_injection/opencl_faults.cc
    fault_injection/scenarios.cc fault_injection/worker.cc)
set_target_properties(inject_faults PROPERTIES ENABLE_EXPORTS ON
                                               CXX_VISIBILITY_PRESET default)
target_link_libraries(inject_faults PRIVATE cldsp_engine cldsp_engine_options
                                            cldsp_cppunit ${CMAKE_DL_LIBS})
target_link_options(inject_faults PRIVATE -Wl,--no-as-needed)
if(CLDSP_HAVE_CLBLAST)
    target_compile_definitions(inject_faults PRIVATE CLDSP_HAVE_CLBLAST)
endif()
# The sanitizers take several times as long, and look at memory: at the faults that leave
# objects or commands behind.
add_test(NAME engine_faults COMMAND inject_faults --few --bound 300
                                    $<$<BOOL:${CLDSP_SANITIZE}>:--kinds>
                                    $<$<BOOL:${CLDSP_SANITIZE}>:late,lost,release,event>
         COMMAND_EXPAND_LISTS)
set_tests_properties(engine_faults PROPERTIES ENVIRONMENT "${engine_test_environment}")

# These lose devices, and a lock that a plan's end needs, on purpose: what is left then
# stays.
if(CLDSP_SANITIZE AND NOT CLDSP_SANITIZE STREQUAL "thread")
    foreach(test IN ITEMS device_failures faults fftw_plan lent_memory)
        set_property(TEST engine_${test} APPEND PROPERTY
                     ENVIRONMENT "ASAN_OPTIONS=${asan_options}:detect_leaks=0")
    endforeach()
endif()
add_test(NAME engine_faults_cover_opencl
         COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DPROGRAM=$<TARGET_FILE:inject_faults>"
                 "-DLIBRARIES=$<$<BOOL:${CLDSP_HAVE_CLBLAST}>:${CLBLAST_LIBRARY}>" -P
                 "${CMAKE_CURRENT_SOURCE_DIR}/fault_injection/covers_opencl.cmake")

########################################################################
# Slow checks: the sanitizers, Clang with the fuzzers, and oclgrind
########################################################################
# cldsp_slow_check(<name> <script> <variable>...): runs a CMake script that prints
# "check skipped: <reason>" where it cannot run.
function(cldsp_slow_check name script)
    set(definitions "-DSKIP_REASON=${CLDSP_SKIP_SLOW_CHECKS}")
    foreach(definition IN LISTS ARGN)
        list(APPEND definitions "-D${definition}")
    endforeach()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" ${definitions} -P
                                  "${CMAKE_CURRENT_SOURCE_DIR}/${script}")
    set_tests_properties(
        ${name}
        PROPERTIES ENVIRONMENT "${engine_test_environment}"
                   LABELS slow
                   TIMEOUT 3600
                   SKIP_REGULAR_EXPRESSION "check skipped: ")
endfunction()

if(NOT CLDSP_SANITIZE)
    cldsp_slow_check(
        engine_sanitizers
        run_sanitizers.cmake
        "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}"
        "BUILD=${CMAKE_CURRENT_BINARY_DIR}/sanitizers"
        "GENERATOR=${CMAKE_GENERATOR}"
        "COMPILER=${CMAKE_CXX_COMPILER}"
        "CTEST=${CMAKE_CTEST_COMMAND}")
    set_tests_properties(engine_sanitizers PROPERTIES PROCESSORS 2)

    cldsp_slow_check(
        engine_clang
        run_clang.cmake
        "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}"
        "BUILD=${CMAKE_CURRENT_BINARY_DIR}/clang"
        "FUZZ=${repository_root}/scripts/fuzz"
        "CTEST=${CMAKE_CTEST_COMMAND}")
    set_tests_properties(engine_clang PROPERTIES PROCESSORS 2)

    # <name of the check>:<program>
    foreach(check IN ITEMS "kernels:opencl_fir"
                           "fast_convolution_kernels:opencl_fast_convolution"
                           "gemm_ladder:gemm_ladder"
                           "gemm_mobile:gemm_mobile"
                           "gemm_1bit_kernels:gemm_1bit"
                           "gemm_cpu:gemm_kernel_cpu" "gemm_gpu:gemm_kernel_gpu")
        string(REPLACE ":" ";" check "${check}")
        list(GET check 0 name)
        list(GET check 1 program)
        if(TARGET engine_qa_${program})
            cldsp_slow_check(
                engine_${name}_oclgrind run_oclgrind.cmake
                "PROGRAM=$<TARGET_FILE:engine_qa_${program}>"
                "LOG=${CMAKE_CURRENT_BINARY_DIR}/oclgrind-${name}.log")
        endif()
    endforeach()
endif()
