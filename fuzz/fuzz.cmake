# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Builds a fuzzer of each kind of foreign input, and runs each for a moment as a test.

# The fuzzers, a part of the engine's project where CLDSP_FUZZ is on: each fuzz_<name>.cc is
# a program that libFuzzer drives, and a test that runs its corpus and then for a moment. The
# engine has the sanitizers, and counts how far an input reaches. scripts/fuzz builds and runs
# them.

set(fuzz_folder "${repository_root}/fuzz")
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "The fuzzers need Clang, and the compiler is "
                        "${CMAKE_CXX_COMPILER_ID}")
endif()

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
    # The blocks' headers include the table of input types under the name of its installation.
    set(block_headers "${CMAKE_CURRENT_BINARY_DIR}/include")
    configure_file("${repository_root}/include/cldsp/sample_types.h"
                   "${block_headers}/gnuradio/cldsp/sample_types.h" COPYONLY)
else()
    message(STATUS "No fuzzers of npy and messages: there is no GNU Radio")
endif()

# Recordings, lists of channels and other wishes are read by the command.
set(command_sources "${repository_root}/apps")
set(fuzzed_recordings)
foreach(file IN ITEMS auxi channel_list datetime file_name input_file radio_wish
                      quantity sample_format sigmf sigmf_archive stop_signal tar wav
                      zmq_endpoint)
    list(APPEND fuzzed_recordings "${command_sources}/channelize/${file}.cc")
endforeach()

########################################################################
# The fuzzers
########################################################################
enable_testing()
add_custom_target(cldsp_fuzzers ALL)
file(GLOB fuzzers CONFIGURE_DEPENDS "${fuzz_folder}/fuzz_*.cc")
foreach(source IN LISTS fuzzers)
    get_filename_component(fuzzer "${source}" NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" name "${fuzzer}")
    if(name MATCHES "^(npy|messages)$" AND NOT fuzzed_${name})
        continue()
    endif()
    add_executable(${fuzzer} EXCLUDE_FROM_ALL "${source}" ${fuzzed_${name}})
    target_link_libraries(${fuzzer} PRIVATE cldsp_engine cldsp_engine_options)
    cldsp_unity_build(${fuzzer})
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    if(name STREQUAL "recordings")
        target_include_directories(${fuzzer} PRIVATE "${command_sources}")
    elseif(fuzzed_${name})
        target_include_directories(${fuzzer} PRIVATE "${block_sources}" "${block_headers}")
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
    set_tests_properties(
        ${fuzzer}
        PROPERTIES LABELS sanitizer
                   ENVIRONMENT
                   "ASAN_OPTIONS=allocator_may_return_null=1:intercept_tls_get_addr=0")
endforeach()
