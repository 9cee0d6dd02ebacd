# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Runs a benchmark briefly, and checks its report but not its times.

# Runs a benchmark program briefly and reads its report: it has every part that is asked
# for by an option of its name, and all results are right, whatever time they took.
# cmake -D PROGRAM=... -D REPORT=... [-D "ARGUMENTS=--auto;2"] -P smoke.cmake

cmake_minimum_required(VERSION 3.19)

# A test runner may ask for VOLK's plain kernels, which the benchmarks refuse.
unset(ENV{VOLK_GENERIC})
file(REMOVE "${REPORT}")
execute_process(COMMAND "${PROGRAM}" --quick ${ARGUMENTS} --json "${REPORT}"
                RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status}")
endif()

file(READ "${REPORT}" report)
set(checked 0)
foreach(part comparison ladder flowgraphs fast_convolution default_buffers auto
             flowgraph_filters)
    string(JSON tables ERROR_VARIABLE none LENGTH "${report}" ${part})
    if(none)
        string(REPLACE "_" "-" option "--${part}")
        if(option IN_LIST ARGUMENTS)
            message(FATAL_ERROR "the report has no ${part}")
        endif()
        continue() # this program has no such table
    endif()
    math(EXPR last_table "${tables} - 1")
    if(tables EQUAL 0)
        message(FATAL_ERROR "no table in ${part}")
    endif()
    foreach(t RANGE ${last_table})
        string(JSON results GET "${report}" ${part} ${t} results)
        string(JSON rows LENGTH "${results}")
        if(rows EQUAL 0)
            message(FATAL_ERROR "nothing in ${part} ${t}")
        endif()
        math(EXPR last_row "${rows} - 1")
        foreach(r RANGE ${last_row})
            string(JSON row GET "${results}" ${r})
            string(JSON correct GET "${row}" correct)
            string(JSON error GET "${row}" error_db)
            string(JSON bound GET "${row}" bound_db)
            if(NOT correct OR error GREATER bound)
                message(FATAL_ERROR "wrong: ${row}")
            endif()
            math(EXPR checked "${checked} + 1")
        endforeach()
    endforeach()
endforeach()
if("--retune" IN_LIST ARGUMENTS)
    string(JSON retuned LENGTH "${report}" retune)
    message(STATUS "${retuned} filters were retuned")
endif()
message(STATUS "${checked} results are right")
if(checked EQUAL 0)
    message(FATAL_ERROR "the report is empty")
endif()
