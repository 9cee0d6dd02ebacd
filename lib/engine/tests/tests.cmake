# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# The list of the engine's tests, and how often each runs.

# The engine's tests: the fixture in each qa_<name>.cc is run as engine_<name> by ctest, in a
# process of its own. One program, engine_qa, has nearly all of them:
#
#     lib/engine/engine_qa qa_gemm                              one fixture
#     lib/engine/engine_qa qa_gemm::every_type_on_the_host      one test
#
# What a device's limits decide is tested by the fixtures limits_of_<subject>, in tables
# without a device, and by profile_<executor>, which run each executor once under each
# profile that lowers a device's limits.

set(engine_tests_folder "${CMAKE_CURRENT_SOURCE_DIR}/tests")

include("${repository_root}/cmake/KernelsOfTests.cmake")

find_path(CPPUNIT_INCLUDE_DIR cppunit/TestFixture.h)
find_library(CPPUNIT_LIBRARY cppunit)
if(NOT CPPUNIT_INCLUDE_DIR OR NOT CPPUNIT_LIBRARY)
    message(FATAL_ERROR "The tests need CppUnit (Debian: libcppunit-dev); "
                        "-DENABLE_TESTING=OFF builds without them")
endif()
add_library(cldsp_cppunit INTERFACE)
target_include_directories(cldsp_cppunit INTERFACE "${CPPUNIT_INCLUDE_DIR}")
target_link_libraries(cldsp_cppunit INTERFACE "${CPPUNIT_LIBRARY}")

# A separate cache keeps the user's cache out of the tests, and the tests out of the
# user's cache. Each test has its own folder there, where programs and measurements are kept.
set(CLDSP_TEST_CACHE "${CMAKE_CURRENT_BINARY_DIR}/test-cache" CACHE PATH
    "Where the tests keep programs and measurements")
# The tests run the kernels of this tree, wherever a user's own kernels are.
# Most tests trust the drivers: in an empty cache folder each would try them first.
set(engine_test_environment "CLDSP_KERNEL_PATH=" "CLDSP_DRIVERS=trust")
option(CLDSP_UNITY_TESTS
       "Compile several files of tests at once; OFF is faster where one of them is edited" ON)
set(CLDSP_TEST_OBJECTS "" CACHE PATH
    "Where another build of this source lists the objects of its tests, which are then linked \
instead of compiling the tests")

########################################################################
# Tests with a special treatment
########################################################################
# These tests are separate programs: their functions replace those of OpenCL or of the C++
# library in the whole program, or they start many processes.
set(engine_tests_apart device_failures drivers gemm_image_over_buffer lowered_matrix_units
                       missing_memory page_memory v3d_driver)

# These tests need no device, and take seconds in all: they are run first while one works on the
# code (the label quick). No driver is loaded for them.
set(engine_tests_of_the_host
    background_thread
    block_placement
    block_transform
    cache_sizes
    channel_folds
    change_over
    cost_model
    cpu_layout
    device_limits
    engine_threads
    errors
    fftw_plan
    file_lock
    filter_channel
    frequency_schedule
    host_fast_convolution
    host_fir
    host_gemm
    host_multirate
    host_resampler
    inverse_fft_with_rotator
    json_value
    kernel_source
    kernel_work
    limits_of_filters
    limits_of_products
    locked_file
    low_pass
    mixer
    operation
    overlap_save
    overlap_save_selective
    phase
    phase_curve
    plan_log
    planned_engine
    planner
    planner_checks
    planner_memory
    ptx
    reference
    sample_kernels
    sample_type
    selective_transform
    stream_bank
    streaming_copy
    thread_pool
    tiled_fold
    tuner
    tuner_bounds
    tuning_search
    tuning_space
    wisdom
    wisdom_exchange
    wisdom_files
    work_group)

# With the tests of the host, these are the ones that the sanitizers watch: in them the engine
# reaches into memory by an index, or gives it back. Others mostly compile kernels.
set(engine_tests_of_memory
    bank_fallback
    bank_of_one
    buffer
    c_interface
    changes_while_planning
    column_transform
    context
    correlator
    device_failures
    dft_bank
    freq_xlating_filter_bank
    gemm
    gemm_1bit
    gemm_1bit_errors
    gemm_errors
    missing_memory
    opencl_fast_convolution
    opencl_fast_convolution_device
    opencl_fir
    outdated_plans
    page_memory
    planned_products
    products
    program_cache
    queue_limits
    rates
    shared_channels
    stream_matrix
    take_engine
    threads
    transfer)

# These tests look at what PoCL and the engine keep between runs, in folders of their own.
set(engine_tests_of_caches pocl program_cache)

# These tests take most of their time to compile, and a third of it without optimisation:
# those of kernels for GPUs, which PoCL compiles only for tests, and those that run many
# kernels and do not test each of them. The tests that are not listed run the kernels for
# CPU devices as PoCL's users do.
set(engine_tests_not_optimised
    coming_channels
    correlator
    device_failures
    dft_bank
    fast_convolution_tuning
    forward_transform
    fused_fold
    gemm
    gemm_1bit_tuning
    gemm_clblast
    gemm_errors
    gemm_kernel_gpu
    gemm_kernel_tensor
    gemm_kernel_warpgroup
    gemm_ladder
    gemm_mobile
    gemm_random_shapes
    gemm_tuning
    kernel_groups
    lowered_matrix_units
    opencl_fast_convolution
    products
    rates
    shared_channels
    tensor_fold
    v3d_driver)

# scripts/bench-gpu runs all tests of engine_tests_not_optimised on a GPU, and these. They
# show that the kernels are right there, and that a device's queues and buffers are used
# as on PoCL. Those of the host, of files, of locks and of waiting are left out.
set(engine_tests_of_gpus
    bank_fallback
    bank_of_one
    bank_selection
    buffer
    context
    correlator
    device_failures
    dft_bank
    fast_convolution_tuning
    fir_tuning
    fir_values
    forward_transform
    freq_xlating_filter_bank
    fused_fold
    gemm
    gemm_1bit
    gemm_1bit_errors
    gemm_1bit_tuning
    gemm_clblast
    gemm_errors
    gemm_kernel_cpu
    gemm_kernel_gpu
    gemm_ladder
    gemm_mobile
    gemm_random_shapes
    gemm_tuning
    host_clock
    multiply_add
    opencl_fast_convolution
    opencl_fast_convolution_device
    opencl_fir
    page_memory
    products
    ptx
    queue_limits
    rates
    roofline
    stream_matrix
    take_engine
    tensor_fold
    threads
    transfer)

# scripts/test-rusticl runs these on Mesa's llvmpipe in some minutes: each executor once, and
# what rusticl does otherwise than PoCL. With --all it runs all tests of devices.
set(engine_tests_of_rusticl
    bank_of_one
    bank_selection
    buffer
    c_interface
    context
    correlator
    device_failures
    fir_values
    gemm_1bit
    gemm_1bit_errors
    gemm_ladder
    host_clock
    page_memory
    program_cache
    queue_limits
    roofline
    take_engine
    transfer)

# The longest tests start first, so that none of them runs alone at the end. Under the
# sanitizers some take several times as long as others that are as long without them.
set(engine_long_tests
    coming_channels
    tensor_fold
    gemm_kernel_tensor
    gemm
    opencl_fir
    gemm_kernel_cpu
    gemm_kernel_warpgroup
    correlator
    fir_tuning
    gemm_tuning
    dft_bank
    opencl_fast_convolution
    gemm_1bit
    gemm_1bit_tuning
    fused_fold
    forward_transform
    roofline
    opencl_fast_convolution_device
    freq_xlating_filter_bank
    device_failures
    products
    host_gemm
    queue_limits
    column_transform
    program_cache
    rates
    threads)

if(CLDSP_SANITIZE STREQUAL "thread")
    list(APPEND engine_test_environment
         "TSAN_OPTIONS=suppressions=${engine_tests_folder}/tsan.supp"
         "CLDSP_TEST_SMALL=1")
elseif(CLDSP_SANITIZE)
    # PoCL and LLVM keep memory until the process ends. LLVM may give a thread another
    # stack for its signals, which the sanitizer would take for its own and unmap. If the
    # memory of a thread's variables lies at byte 16 of a page, the search for leaks takes
    # the bytes before it for the header of glibc 2.19, and then reads at some random
    # address. Therefore the search does not look for these variables: it finds them in the
    # heap, from which glibc takes them.
    # The stack that GCC keeps for returned functions is not aligned as vectors of 64
    # bytes require.
    set(asan_options
        "use_sigaltstack=0:intercept_tls_get_addr=0:detect_stack_use_after_return=0")
    list(APPEND engine_test_environment "ASAN_OPTIONS=${asan_options}"
         "LSAN_OPTIONS=suppressions=${engine_tests_folder}/lsan.supp:print_suppressions=0"
         "UBSAN_OPTIONS=print_stacktrace=1" "CLDSP_TEST_SMALL=1")
endif()

# In a build without sanitizers the label would be taken for that of the checks.
set(label_of_the_sanitizers "")
if(CLDSP_SANITIZE)
    set(label_of_the_sanitizers sanitizer)
endif()

add_library(cldsp_engine_qa_main OBJECT "${engine_tests_folder}/support/main.cc")
target_link_libraries(cldsp_engine_qa_main PRIVATE cldsp_engine_options cldsp_cppunit)

# cldsp_engine_environment(<test> <folder> <variable>...): sets the environment of a test,
# with a folder of the test cache. Of two values of a variable the later one counts.
function(cldsp_engine_environment test folder)
    set_tests_properties(
        ${test}
        PROPERTIES ENVIRONMENT
                   "${engine_test_environment};XDG_CACHE_HOME=${CLDSP_TEST_CACHE}/${folder}")
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "${cldsp_kernels_of_tests}")
    foreach(variable IN LISTS ARGN)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "${variable}")
    endforeach()
endfunction()

# cldsp_engine_program(<target> <name>...): makes a program of the tests in these
# qa_<name>.cc.
function(cldsp_engine_program target)
    set(objects "objects_of_${target}.txt")
    set(sources "")
    if(CLDSP_TEST_OBJECTS)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                               "${CLDSP_TEST_OBJECTS}/${objects}")
        file(STRINGS "${CLDSP_TEST_OBJECTS}/${objects}" sources ENCODING UTF-8)
    else()
        foreach(name IN LISTS ARGN)
            list(APPEND sources "${engine_source_of_${name}}")
        endforeach()
        file(GENERATE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${objects}"
             CONTENT "$<JOIN:$<TARGET_OBJECTS:${target}>,\n>\n")
    endif()
    add_executable(${target} ${sources} $<TARGET_OBJECTS:cldsp_engine_qa_main>)
    if(CLDSP_TEST_OBJECTS)
        # Of inline functions that both have, the linker takes the first it meets: those
        # of this build's engine.
        target_link_options(
            ${target} PRIVATE
            "LINKER:--whole-archive,$<TARGET_FILE:cldsp_engine>,--no-whole-archive")
        set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    endif()
    target_link_libraries(${target} PRIVATE cldsp_engine cldsp_engine_options
                                            cldsp_cppunit)
    # CppUnit registers fixtures under the number of a line, which two files that are
    # compiled together may share.
    target_compile_definitions(
        ${target} PRIVATE $<$<BOOL:${CLDSP_HAVE_VKFFT}>:CLDSP_HAVE_VKFFT>
                          $<$<BOOL:${CLDSP_HAVE_CLBLAST}>:CLDSP_HAVE_CLBLAST>
                          CPPUNIT_UNIQUE_COUNTER=__COUNTER__)
    # Optimising the tests would double their compile time, and they mostly wait for the
    # engine.
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${CLDSP_UNITY_TESTS}
                                               UNITY_BUILD_BATCH_SIZE 8)
endfunction()

# cldsp_engine_add_test(<test> <name>): runs the fixture of qa_<name>.cc.
function(cldsp_engine_add_test test name)
    set(target engine_qa)
    if(name IN_LIST engine_tests_apart)
        set(target engine_qa_${name})
    endif()
    add_test(NAME ${test} COMMAND ${target} qa_${name})
    string(REGEX REPLACE "^engine_" "" folder "${test}")
    cldsp_engine_environment(${test} ${folder})
    if(name IN_LIST engine_tests_not_optimised OR name MATCHES "^profile_")
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "${cldsp_plain_kernels}")
    elseif(name IN_LIST engine_tests_of_caches)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
                     "POCL_CACHE_DIR=${CLDSP_TEST_CACHE}/${folder}/pocl")
    endif()
    if(name IN_LIST engine_tests_of_the_host)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
                     "OCL_ICD_VENDORS=${CMAKE_CURRENT_BINARY_DIR}/no_drivers")
        set_tests_properties(${test} PROPERTIES LABELS quick)
    else()
        set_tests_properties(${test} PROPERTIES LABELS opencl)
    endif()
    if(name MATCHES "^(profile|limits)_")
        set_property(TEST ${test} APPEND PROPERTY LABELS profile)
    endif()
    if(name IN_LIST engine_tests_of_rusticl)
        set_property(TEST ${test} APPEND PROPERTY LABELS rusticl)
    endif()
    if(name IN_LIST engine_tests_of_the_host OR name IN_LIST engine_tests_of_memory)
        set_property(TEST ${test} APPEND PROPERTY LABELS ${label_of_the_sanitizers})
    endif()
    list(FIND engine_long_tests ${name} place)
    if(NOT place EQUAL -1)
        math(EXPR cost "100 - ${place}")
        set_tests_properties(${test} PROPERTIES COST ${cost})
    endif()
endfunction()

file(GLOB qa_sources CONFIGURE_DEPENDS "${engine_tests_folder}/*/qa_*.cc")
set(engine_tests "")
foreach(source IN LISTS qa_sources)
    get_filename_component(stem "${source}" NAME_WE)
    # A fixture with another name, or a second fixture, would never run.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "CPPUNIT_TEST_SUITE[A-Z_]*REGISTRATION\\([^)]*\\)" registered "${text}")
    string(REGEX REPLACE "[ \n]+" " " registered "${registered}")
    set(named "CPPUNIT_TEST_SUITE_NAMED_REGISTRATION(${stem}, \"${stem}\")")
    if(NOT registered STREQUAL named)
        message(FATAL_ERROR "${source} has to register one fixture, by ${named}; "
                            "and has: ${registered}")
    endif()
    string(REGEX REPLACE "^qa_" "" name "${stem}")
    list(APPEND engine_tests ${name})
    set(engine_source_of_${name} "${source}")
endforeach()
foreach(name IN LISTS engine_tests_apart engine_tests_of_the_host engine_tests_of_memory
                      engine_tests_of_caches engine_tests_not_optimised engine_tests_of_gpus
                      engine_tests_of_rusticl engine_long_tests)
    if(NOT name IN_LIST engine_tests)
        message(FATAL_ERROR "tests.cmake names a test '${name}', and there is no qa_${name}.cc")
    endif()
endforeach()

set(engine_tests_together ${engine_tests})
list(REMOVE_ITEM engine_tests_together ${engine_tests_apart})
cldsp_engine_program(engine_qa ${engine_tests_together})
foreach(name IN LISTS engine_tests_apart)
    cldsp_engine_program(engine_qa_${name} ${name})
endforeach()

foreach(name IN LISTS engine_tests)
    # The sanitizers watch the same code of the host without a profile.
    if(NOT CLDSP_SANITIZE OR NOT name MATCHES "^profile_")
        cldsp_engine_add_test(engine_${name} ${name})
    endif()
endforeach()

# The drivers of this test prove themselves, and one of them fails.
include("${repository_root}/cmake/FakeDriver.cmake")
set_property(TEST engine_drivers APPEND PROPERTY
             ENVIRONMENT "CLDSP_DRIVERS=prove"
                         "CLDSP_FAKE_ICD_LIBRARY=$<TARGET_FILE:cldsp_fake_icd>")

# To tests of several devices PoCL shows this machine's processor twice.
set_property(TEST engine_shared_channels APPEND PROPERTY
             ENVIRONMENT "POCL_DEVICES=pthread pthread")

########################################################################
# Permitted includes
########################################################################
add_test(NAME include_directions
         COMMAND "${CMAKE_COMMAND}" "-DENGINE=${CMAKE_CURRENT_SOURCE_DIR}"
                 "-DHEADERS=${repository_root}/include/cldsp"
                 "-DPLANTED=${CMAKE_CURRENT_BINARY_DIR}/planted_includes" -P
                 "${engine_tests_folder}/include_directions.cmake")
set_tests_properties(include_directions PROPERTIES LABELS quick)

########################################################################
# Faults in every call of OpenCL
########################################################################
# The functions of this program's layer replace those of OpenCL's library, also for
# CLBlast, which finds them because the program exports them.
add_executable(
    inject_faults
    "${engine_tests_folder}/fault_injection/inject_faults.cc"
    "${engine_tests_folder}/fault_injection/opencl_faults.cc"
    "${engine_tests_folder}/fault_injection/scenarios.cc"
    "${engine_tests_folder}/fault_injection/worker.cc")
set_target_properties(inject_faults PROPERTIES ENABLE_EXPORTS ON
                                               CXX_VISIBILITY_PRESET default)
target_link_libraries(inject_faults PRIVATE cldsp_engine cldsp_engine_options
                                            cldsp_cppunit ${CMAKE_DL_LIBS})
target_link_options(inject_faults PRIVATE -Wl,--no-as-needed)
if(CLDSP_HAVE_CLBLAST)
    target_compile_definitions(inject_faults PRIVATE CLDSP_HAVE_CLBLAST)
endif()
# With the sanitizers the test takes several times as long, and they check memory: only
# faults that leave objects or commands behind are tried.
set(fault_kinds)
if(CLDSP_SANITIZE)
    set(fault_kinds --kinds late,lost,release,event)
endif()
# Two jobs, because each spends half of its time waiting until a device counts as lost.
add_test(NAME engine_faults COMMAND inject_faults --few --bound 300 --jobs 2 ${fault_kinds})
cldsp_engine_environment(engine_faults faults)
set_tests_properties(engine_faults PROPERTIES COST 100 LABELS "opencl;${label_of_the_sanitizers}")

# scripts/compile-v3d builds this program, which no test runs.
add_executable(collect_v3d_programs EXCLUDE_FROM_ALL
                                    "${engine_tests_folder}/compile_v3d/collect_programs.cc")
set_target_properties(collect_v3d_programs PROPERTIES ENABLE_EXPORTS ON)
target_link_libraries(collect_v3d_programs PRIVATE cldsp_engine cldsp_engine_options
                                                   cldsp_cppunit ${CMAKE_DL_LIBS})

# The same for memory: this program's malloc() replaces that of the GNU C library, from
# version 2.35 on. The sanitizers have their own. Few allocations of each scenario fail here.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_DEFINITIONS -D_GNU_SOURCE)
check_symbol_exists(_dl_find_object "dlfcn.h" CLDSP_HAVE_DL_FIND_OBJECT)
unset(CMAKE_REQUIRED_DEFINITIONS)
if(CLDSP_HAVE_DL_FIND_OBJECT AND NOT CLDSP_SANITIZE)
    add_executable(
        inject_missing_memory
        "${engine_tests_folder}/fault_injection/inject_missing_memory.cc"
        "${engine_tests_folder}/fault_injection/missing_memory.cc")
    # Functions have names in the traces.
    set_target_properties(inject_missing_memory PROPERTIES ENABLE_EXPORTS ON)
    target_link_libraries(inject_missing_memory PRIVATE cldsp_engine cldsp_engine_options
                                                        ${CMAKE_DL_LIBS})
    target_compile_options(inject_missing_memory PRIVATE $<$<CONFIG:Release>:-O1>)
    add_test(NAME engine_memory_faults COMMAND inject_missing_memory --most 16)
    cldsp_engine_environment(engine_memory_faults memory_faults)
    add_test(NAME engine_memory_faults_of_devices COMMAND inject_missing_memory --most 6
                     --scenario devices --scenario auto_product)
    cldsp_engine_environment(engine_memory_faults_of_devices memory_faults_of_devices)
    set_tests_properties(engine_memory_faults_of_devices PROPERTIES LABELS opencl)
endif()

# A fault that the small selection leaves out: the call with which VkFFT gets a program of
# the engine.
if(CLDSP_HAVE_VKFFT)
    add_test(NAME engine_faults_retained_program
             COMMAND inject_faults --bound 300 --scenario fir_vkfft --fault
                     clRetainProgram:3:one)
    cldsp_engine_environment(engine_faults_retained_program faults_retained_program)
    set_tests_properties(engine_faults_retained_program PROPERTIES LABELS opencl)
endif()

# These tests lose devices on purpose, or the lock that the end of an FFTW plan needs. The
# memory that is kept for this reason is never freed, and would be reported as a leak.
if(CLDSP_SANITIZE AND NOT CLDSP_SANITIZE STREQUAL "thread")
    set(leaking_tests device_failures faults fftw_plan page_memory)
    if(CLDSP_HAVE_VKFFT)
        list(APPEND leaking_tests faults_retained_program)
    endif()
    foreach(test IN LISTS leaking_tests)
        set_property(TEST engine_${test} APPEND PROPERTY
                     ENVIRONMENT "ASAN_OPTIONS=${asan_options}:detect_leaks=0")
    endforeach()
endif()
set(programs_with_a_layer $<TARGET_FILE:inject_faults>)
foreach(name IN ITEMS device_failures gemm_image_over_buffer lowered_matrix_units page_memory)
    list(APPEND programs_with_a_layer $<TARGET_FILE:engine_qa_${name}>)
endforeach()
add_test(NAME engine_faults_cover_opencl
         COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DPROGRAMS=${programs_with_a_layer}"
                 "-DLIBRARIES=$<$<BOOL:${CLDSP_HAVE_CLBLAST}>:${CLBLAST_LIBRARY}>" -P
                 "${engine_tests_folder}/fault_injection/covers_opencl.cmake")

########################################################################
# Slow checks: the sanitizers with the fuzzers, and oclgrind
########################################################################
# cldsp_slow_check(<name> <script> <variable>...): runs a CMake script that prints
# "check skipped: <reason>" where it cannot run.
function(cldsp_slow_check name script)
    set(definitions "-DSKIP_REASON=${CLDSP_SKIP_SLOW_CHECKS}")
    foreach(definition IN LISTS ARGN)
        list(APPEND definitions "-D${definition}")
    endforeach()
    add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" ${definitions} -P
                                  "${engine_tests_folder}/${script}")
    cldsp_engine_environment(${name} ${name})
    set_tests_properties(
        ${name}
        PROPERTIES LABELS slow
                   TIMEOUT 3600
                   SKIP_REGULAR_EXPRESSION "check skipped: ")
    # The script configures builds of its own, which find the libraries where this one did.
    if(CMAKE_PREFIX_PATH)
        set(prefixes ${CMAKE_PREFIX_PATH} $ENV{CMAKE_PREFIX_PATH})
        string(REPLACE ";" ":" prefixes "${prefixes}")
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT "CMAKE_PREFIX_PATH=${prefixes}")
    endif()
endfunction()

if(NOT CLDSP_SANITIZE)
    # The build with the sanitizers is a test of its own, before the tests that need it. Its
    # compiler is Clang where there is one, which finds what GCC lets pass, and builds the fuzzers.
    foreach(step IN ITEMS build test)
        cldsp_slow_check(
            engine_sanitizers_${step}
            run_sanitizers.cmake
            "STEP=${step}"
            "SOURCE=${CMAKE_CURRENT_SOURCE_DIR}"
            "BUILD=${CMAKE_CURRENT_BINARY_DIR}/sanitizers"
            "OBJECTS=${CMAKE_CURRENT_BINARY_DIR}"
            "FUZZ=${repository_root}/scripts/fuzz"
            "GENERATOR=${CMAKE_GENERATOR}"
            "COMPILER=${CMAKE_CXX_COMPILER}"
            "FLAGS=${CMAKE_CXX_FLAGS}"
            "CACHE=${CLDSP_TEST_CACHE}"
            "KERNELS=${CLDSP_TEST_KERNELS}"
            "CTEST=${CMAKE_CTEST_COMMAND}")
        set_property(TEST engine_sanitizers_${step} APPEND PROPERTY LABELS sanitizer)
    endforeach()
    set_tests_properties(engine_sanitizers_build PROPERTIES FIXTURES_SETUP sanitizers)
    set_tests_properties(engine_sanitizers_test PROPERTIES FIXTURES_REQUIRED sanitizers)

    # The compiler keeps one processor busy for minutes, and starts first, so that other
    # tests run beside it to its end. The tests under the sanitizers run
    # three at once, and come last of all: they then find most kernels compiled.
    set_tests_properties(engine_sanitizers_build PROPERTIES TIMEOUT 7200 COST 300)
    set_tests_properties(engine_sanitizers_test PROPERTIES PROCESSORS 3 COST -1)

    # <name of the check>:<test>
    foreach(check IN ITEMS "kernels:opencl_fir"
                           "fast_convolution_kernels:opencl_fast_convolution"
                           "forward_transform:forward_transform"
                           "fused_fold:fused_fold"
                           "tensor_fold:tensor_fold"
                           "dft_bank:dft_bank"
                           "gemm_ladder:gemm_ladder"
                           "gemm_mobile:gemm_mobile"
                           "gemm_1bit_kernels:gemm_1bit"
                           "gemm_cpu:gemm_kernel_cpu" "gemm_gpu:gemm_kernel_gpu"
                           "correlator:correlator")
        string(REPLACE ":" ";" check "${check}")
        list(GET check 0 name)
        list(GET check 1 test)
        if(NOT test IN_LIST engine_tests_together)
            message(FATAL_ERROR "tests.cmake names a test '${test}', and engine_qa has none")
        endif()
        cldsp_slow_check(
            engine_${name}_oclgrind run_oclgrind.cmake
            "PROGRAM=$<TARGET_FILE:engine_qa>"
            "TEST=qa_${test}"
            "LOG=${CMAKE_CURRENT_BINARY_DIR}/oclgrind-${name}.log")
        set_tests_properties(engine_${name}_oclgrind PROPERTIES COST 50)
        set_property(TEST engine_${name}_oclgrind APPEND PROPERTY LABELS oclgrind)
    endforeach()
endif()
