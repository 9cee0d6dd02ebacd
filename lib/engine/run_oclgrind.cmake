# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

# Runs a test program on oclgrind's simulated device, which checks every memory access.
# Oclgrind ends with the program's own status whatever it found, so that its log decides.
# Variables: PROGRAM, LOG, SKIP_REASON.

foreach(reason IN ITEMS "${SKIP_REASON}" "$ENV{CLDSP_SKIP_SLOW_CHECKS}")
    if(NOT reason STREQUAL "")
        message("check skipped: ${reason}")
        return()
    endif()
endforeach()

find_program(OCLGRIND oclgrind)
if(NOT OCLGRIND)
    message("check skipped: oclgrind is not installed")
    return()
endif()

# Without --uninitialized: that check of oclgrind 21.10 crashes in vector instructions.
file(REMOVE "${LOG}")
set(ENV{CLDSP_TEST_SMALL} 1)
execute_process(
    COMMAND "${OCLGRIND}" --data-races --check-api --log "${LOG}" "${PROGRAM}"
    RESULT_VARIABLE result
    ERROR_VARIABLE messages ECHO_ERROR_VARIABLE)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} failed under oclgrind (${result})")
endif()
# Wrong calls of the API are told on stderr, not in the log.
if(messages MATCHES "OpenCL runtime error detected")
    message(FATAL_ERROR "oclgrind reports wrong OpenCL calls, see above")
endif()
if(EXISTS "${LOG}")
    file(READ "${LOG}" errors)
    string(STRIP "${errors}" errors)
    if(NOT errors STREQUAL "")
        message(FATAL_ERROR "oclgrind reports:\n${errors}")
    endif()
endif()
