# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# The fuzzers, a part of the engine's project where CLDSP_FUZZ is on: each fuzz_<name>.cc is
# a program that libFuzzer drives, and a test that runs its corpus and then for a moment.
# scripts/fuzz builds and runs them.

set(fuzz_folder "${repository_root}/fuzz")
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "The fuzzers need Clang, and the compiler is "
                        "${CMAKE_CXX_COMPILER_ID}")
endif()

########################################################################
# The fuzzed sources
########################################################################
set(fuzz_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all
                    -fno-omit-frame-pointer)

# The sources that read data written by others, and the sources that these need, without
# the kernels, which take longest to compile. Each source is an object of its own, because
# a fuzzer links only the objects that it needs, without everything that the others need.
# What all of the engine may use, base, is here whole.
file(GLOB fuzzed CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/base/*.cc")
foreach(files IN ITEMS chosen_plan context* device* dispatch fftw_* file_*
                       gemm_reference host_copies host_identity kernel_source locked_file
                       measurement memory_alias output_check
                       planner pocl* program_* ptx queue_window search
                       tun* variants wait_strategy wisdom work_group)
    file(GLOB some CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*/${files}.cc"
         "${CMAKE_CURRENT_SOURCE_DIR}/*/ladder/${files}.cc")
    if(NOT some)
        message(FATAL_ERROR "No source of the engine is called ${files}.cc: it has moved")
    endif()
    list(APPEND fuzzed ${some})
endforeach()
list(REMOVE_DUPLICATES fuzzed)
add_library(cldsp_fuzzed STATIC EXCLUDE_FROM_ALL ${fuzzed} "${embedded}")
set(fuzz_options -O1 -g1 -fsanitize=fuzzer-no-link ${fuzz_sanitizers})
target_compile_options(cldsp_fuzzed PUBLIC ${fuzz_options})
target_link_libraries(cldsp_fuzzed PUBLIC cldsp_engine_options)
cldsp_precompile_headers(cldsp_fuzzed ${engine_headers})

########################################################################
# The check that Clang compiles the engine
########################################################################
# This target only checks that Clang accepts the sources that no fuzzer needs. It produces no
# files, so that every build of it would repeat the check; therefore it is not part of "all".
set(not_fuzzed ${engine_sources})
list(REMOVE_ITEM not_fuzzed ${fuzzed})
add_library(cldsp_engine_syntax OBJECT EXCLUDE_FROM_ALL ${not_fuzzed})
target_compile_options(cldsp_engine_syntax PRIVATE -fsyntax-only)
target_link_libraries(cldsp_engine_syntax PRIVATE cldsp_engine_options)
cldsp_unity_build(cldsp_engine_syntax)
if(CLDSP_PRECOMPILE_HEADERS)
    # This target could not compile headers itself, and Clang refuses those of other flags.
    target_compile_options(cldsp_engine_syntax PRIVATE ${fuzz_options})
    target_precompile_headers(cldsp_engine_syntax REUSE_FROM cldsp_fuzzed)
endif()
foreach(folder IN ITEMS "${VKFFT_INCLUDE_DIR}" "${CLBLAST_INCLUDE_DIR}")
    if(folder)
        target_include_directories(cldsp_engine_syntax SYSTEM PRIVATE "${folder}")
    endif()
endforeach()

# Files and messages are read by GNU Radio's blocks, whose sources are those of the
# module.
find_package(Gnuradio "3.10" QUIET COMPONENTS runtime fft)
if(TARGET gnuradio::gnuradio-runtime AND TARGET gnuradio::gnuradio-fft)
    set(block_sources "${repository_root}/lib")
    set(fuzzed_npy "${block_sources}/npy_matrix.cc" "${block_sources}/message_text.cc")
    file(GLOB fuzzed_messages CONFIGURE_DEPENDS
         "${block_sources}/block_support.cc" "${block_sources}/gnuradio_*.cc"
         "${block_sources}/matrix.cc" "${block_sources}/*message*.cc"
         "${block_sources}/probe/message.cc")
else()
    message(STATUS "No fuzzers of npy and messages: there is no GNU Radio")
endif()

# Recordings, lists of channels and other wishes are read by the command.
set(command_sources "${repository_root}/apps")
set(fuzzed_recordings)
foreach(file IN ITEMS auxi channel_list datetime file_name input_file radio_wish
                      sample_format sigmf sigmf_archive stop_signal tar wav zmq_endpoint)
    list(APPEND fuzzed_recordings "${command_sources}/channelize/${file}.cc")
endforeach()

########################################################################
# The fuzzers
########################################################################
enable_testing()
add_custom_target(cldsp_fuzzers)
file(GLOB fuzzers CONFIGURE_DEPENDS "${fuzz_folder}/fuzz_*.cc")
foreach(source IN LISTS fuzzers)
    get_filename_component(fuzzer "${source}" NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" name "${fuzzer}")
    if(name MATCHES "^(npy|messages)$" AND NOT fuzzed_${name})
        continue()
    endif()
    add_executable(${fuzzer} EXCLUDE_FROM_ALL "${source}" ${fuzzed_${name}})
    target_link_libraries(${fuzzer} PRIVATE cldsp_fuzzed)
    cldsp_unity_build(${fuzzer})
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer ${fuzz_sanitizers})
    if(name STREQUAL "recordings")
        target_include_directories(${fuzzer} PRIVATE "${command_sources}")
    elseif(fuzzed_${name})
        target_include_directories(${fuzzer} PRIVATE "${block_sources}")
        target_link_libraries(${fuzzer} PRIVATE gnuradio::gnuradio-runtime
                                                gnuradio::gnuradio-fft)
    endif()
    add_dependencies(cldsp_fuzzers ${fuzzer})

    # The test runs the corpus first, then new inputs, which are kept where scripts/fuzz
    # keeps its own.
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/found/${name}"
                        "${CMAKE_CURRENT_BINARY_DIR}/crashes")
    add_test(NAME ${fuzzer}
             COMMAND ${fuzzer} -max_total_time=2 -timeout=60
                     "-artifact_prefix=${CMAKE_CURRENT_BINARY_DIR}/crashes/${name}-"
                     "${CMAKE_CURRENT_BINARY_DIR}/found/${name}"
                     "${fuzz_folder}/corpus/${name}")
    set_tests_properties(${fuzzer} PROPERTIES ENVIRONMENT
                                              "ASAN_OPTIONS=allocator_may_return_null=1")
endforeach()
