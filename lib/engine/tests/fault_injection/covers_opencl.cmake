# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Shows that the layer below the engine sees every OpenCL call of a program.

# Fails unless each of PROGRAMS itself defines every OpenCL function that it and LIBRARIES
# call, so that its layer sees all of their calls. Variables: NM, PROGRAMS, LIBRARIES.

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

foreach(program IN LISTS PROGRAMS)
    opencl_functions(has --defined-only "${program}")
    list(LENGTH has count)
    if(count LESS 40)
        message(FATAL_ERROR "${program} exports ${count} functions of OpenCL only")
    endif()
    foreach(file IN LISTS program LIBRARIES)
        opencl_functions(calls --undefined-only "${file}")
        list(REMOVE_ITEM calls ${has})
        if(calls)
            message(FATAL_ERROR "calls in ${file} without a row in qa_opencl_layer.h: ${calls}")
        endif()
    endforeach()
    message("${program}: ${count} functions")
endforeach()
