# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Fails unless PROGRAM itself defines every OpenCL function that PROGRAM and LIBRARIES
# call, so that it intercepts all of their calls. Variables: NM, PROGRAM, LIBRARIES.

# Sets \p result to the OpenCL functions that nm lists with the given option.
function(opencl_functions result option file)
    execute_process(COMMAND "${NM}" -D ${option} "${file}" OUTPUT_VARIABLE symbols
                    RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "nm fails for ${file}")
    endif()
    string(REGEX MATCHALL "[ \n]cl[A-Z][A-Za-z0-9]*" names "${symbols}")
    list(TRANSFORM names STRIP)
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

# Only the engine calls these, for a hang that a test asks for.
set(of_tests clCreateUserEvent clSetUserEventStatus)

opencl_functions(has --defined-only "${PROGRAM}")
list(LENGTH has count)
if(count LESS 40)
    message(FATAL_ERROR "${PROGRAM} exports ${count} functions of OpenCL only")
endif()
foreach(file IN LISTS PROGRAM LIBRARIES)
    opencl_functions(calls --undefined-only "${file}")
    list(REMOVE_ITEM calls ${has} ${of_tests})
    if(calls)
        message(FATAL_ERROR "calls that no fault meets in ${file}: ${calls}")
    endif()
endforeach()
message("${count} functions")
