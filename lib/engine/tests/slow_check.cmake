# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Functions that the scripts of slow checks share.

# run(<command> <argument>...): shows the output of the command only if it fails; of a
# log, only the lines that do not report a success.
function(run)
    execute_process(
        COMMAND ${ARGN}
        RESULT_VARIABLE result
        OUTPUT_VARIABLE output
        ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        string(REGEX REPLACE "(\\[ *[0-9]+%\\]| +Start +[0-9]+:| *[0-9]+/[0-9]+ Test +#[0-9]+: [^\n]* Passed )[^\n]*\n"
                             "" output "${output}")
        message("${output}")
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "failed (${result}): ${command}")
    endif()
endfunction()
