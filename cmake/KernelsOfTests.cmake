# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# cldsp_not_optimised_kernels: the environment in which PoCL compiles kernels without
# optimisation, for tests that take most of their time to compile. It is empty for PoCL 4
# and later, whose libpocl.so.2.11 and later need the optimisation: without it PoCL 6 ends
# the process over kernels with local memory ("isGVarUsedByFunction").
set(cldsp_not_optimised_kernels "")
find_library(CLDSP_POCL_LIBRARY NAMES libpocl.so.2)
mark_as_advanced(CLDSP_POCL_LIBRARY)
if(CLDSP_POCL_LIBRARY)
    get_filename_component(cldsp_pocl_file "${CLDSP_POCL_LIBRARY}" REALPATH)
    if(cldsp_pocl_file MATCHES "libpocl\\.so\\.2\\.([0-9]+)" AND CMAKE_MATCH_1 LESS 11)
        set(cldsp_not_optimised_kernels "POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable")
    endif()
endif()
