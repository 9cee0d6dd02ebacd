# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Runs a test on a simulated device that checks every memory access of kernels.

# Runs a test on oclgrind's simulated device, which checks every memory access. Oclgrind
# ends with the status of the program whatever errors it found, so its messages decide.
# They are read from stderr, because a log file (--log) would be overwritten by every
# context. Variables: PROGRAM, TEST (its argument), LOG (gets the messages), SKIP_REASON.

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

# The option --uninitialized is not used: this check of oclgrind 21.10 crashes in vector
# instructions.
set(ENV{CLDSP_TEST_SMALL} 1)
execute_process(
    COMMAND "${OCLGRIND}" --data-races --check-api --max-errors 20 "${PROGRAM}" "${TEST}"
    RESULT_VARIABLE result
    ERROR_VARIABLE messages)
file(WRITE "${LOG}" "${messages}")
# A message about an error in a kernel names the kernel; wrong calls of the API have their
# own message.
if(messages MATCHES "Kernel: |OpenCL runtime error detected|data race|Invalid ")
    message(FATAL_ERROR "oclgrind reports, also in ${LOG}:\n${messages}")
endif()
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${TEST} failed under oclgrind (${result}):\n${messages}")
endif()
