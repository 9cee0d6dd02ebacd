# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Where PoCL keeps the kernels that tests compile.

# Where PoCL keeps the kernels that tests compile, for a test's ENVIRONMENT:
#
#   cldsp_kernels_of_tests   most tests
#   cldsp_plain_kernels      tests that take most of their time to compile, for which PoCL
#                            compiles without optimisation, in a third of the time
#
# All tests of all builds share these folders, which are kept between runs: about half of the
# processor time of the first run is PoCL's compiler. PoCL finds a kernel by its source, its
# options and the device; the folder's name has what else decides: the version of PoCL, the
# processor, and PoCL's own options. Tests of what is kept between runs have folders of
# their own.

find_library(CLDSP_POCL_LIBRARY NAMES libpocl.so.2)
mark_as_advanced(CLDSP_POCL_LIBRARY)
set(pocl_version "none")
# PoCL 4 and later, whose libpocl.so.2.11 and later need the optimisation: without it PoCL 6
# ends the process over kernels with local memory ("isGVarUsedByFunction").
set(pocl_needs_optimisation TRUE)
if(CLDSP_POCL_LIBRARY)
    get_filename_component(pocl_file "${CLDSP_POCL_LIBRARY}" REALPATH)
    if(pocl_file MATCHES "libpocl\\.so\\.(2\\.([0-9]+)[0-9.]*)")
        set(pocl_version "${CMAKE_MATCH_1}")
        if(CMAKE_MATCH_2 LESS 11)
            set(pocl_needs_optimisation FALSE)
        endif()
    endif()
endif()

# Prints the folder in which a user's programs keep what they can make again.
function(cldsp_cache_folder result)
    set(folder "$ENV{XDG_CACHE_HOME}")
    if(NOT IS_ABSOLUTE "${folder}")
        set(folder "$ENV{HOME}/.cache")
    endif()
    # PoCL would offer no device if it could not write.
    execute_process(COMMAND mkdir -p "${folder}/gr-cldsp-tests" ERROR_QUIET)
    execute_process(COMMAND test -w "${folder}/gr-cldsp-tests" RESULT_VARIABLE not_writable)
    if(not_writable)
        set(folder "${CMAKE_BINARY_DIR}")
    endif()
    set(${result} "${folder}/gr-cldsp-tests" PARENT_SCOPE)
endfunction()

set(processor "")
if(EXISTS "/proc/cpuinfo")
    file(STRINGS "/proc/cpuinfo" processor LIMIT_COUNT 2 REGEX "^(model name|flags|Features)")
endif()
string(MD5 processor "${CMAKE_HOST_SYSTEM_PROCESSOR} ${processor}")
string(SUBSTRING "${processor}" 0 8 processor)
cldsp_cache_folder(folder_of_tests)
set(CLDSP_TEST_KERNELS "${folder_of_tests}/kernels-pocl-${pocl_version}-${processor}" CACHE PATH
    "Where PoCL keeps the kernels that the tests compile")

set(cldsp_kernels_of_tests "POCL_CACHE_DIR=${CLDSP_TEST_KERNELS}")
if(pocl_needs_optimisation)
    set(cldsp_plain_kernels_folder "${CLDSP_TEST_KERNELS}")
    set(cldsp_plain_kernels_option "")
else()
    set(cldsp_plain_kernels_folder "${CLDSP_TEST_KERNELS}-plain")
    set(cldsp_plain_kernels_option "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable")
endif()
set(cldsp_plain_kernels "POCL_CACHE_DIR=${cldsp_plain_kernels_folder}"
                        ${cldsp_plain_kernels_option})
