# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Reads large headers once for each target.

# Reading the headers of OpenCL, GNU Radio and pybind11 takes most files longer than all
# the rest of them, so each target reads them once. This is off with a compiler launcher,
# which is mostly ccache: by default ccache does not store what is compiled with such
# headers.

include_guard(GLOBAL)

if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(cldsp_precompile_by_default OFF)
else()
    set(cldsp_precompile_by_default ON)
endif()
option(CLDSP_PRECOMPILE_HEADERS "Read large headers once for a target"
       ${cldsp_precompile_by_default})

# cldsp_precompile_headers(<target> <header>...)
function(cldsp_precompile_headers target)
    if(CLDSP_PRECOMPILE_HEADERS)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
