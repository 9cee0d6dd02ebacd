# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Lets tests find this build's module and libraries, and no settings of the user.

# Variables for a test's ENVIRONMENT. With those in cldsp_paths_of_build it finds the module
# and the libraries of the build folder: these come before those that are installed, and before
# the folders of the caller's own variables, in which GNU Radio may be. With those in
# cldsp_settings_of_tests it runs with no settings of the user.

include_guard(GLOBAL)

set(python_path "${PROJECT_BINARY_DIR}/test_modules")
set(library_path "${PROJECT_BINARY_DIR}/lib:${PROJECT_BINARY_DIR}/lib/engine")
if(NOT "$ENV{PYTHONPATH}" STREQUAL "")
    string(APPEND python_path ":$ENV{PYTHONPATH}")
endif()
if(NOT "$ENV{LD_LIBRARY_PATH}" STREQUAL "")
    string(APPEND library_path ":$ENV{LD_LIBRARY_PATH}")
endif()
set(cldsp_paths_of_build "PYTHONPATH=${python_path}" "LD_LIBRARY_PATH=${library_path}")

# GNU Radio's own package would put its folder before that of the build.
file(WRITE "${PROJECT_BINARY_DIR}/test_modules/gnuradio/__init__.py"
     "from pkgutil import extend_path\n\n__path__ = extend_path(__path__, __name__)\n")

# An empty preference is not set, and comes before the files of the system. The preference
# device_timeout is left to the caller, whose machine may be slow. Blocks are made when their
# plans are final, so that a short test is one of the device that it names.
set(cldsp_settings_of_tests "GR_PREFS_PATH=${PROJECT_BINARY_DIR}/test_cache/no_preferences"
                            "CLDSP_KERNEL_PATH=" "CLDSP_DRIVERS=trust" "GR_CONF_CLDSP_PLAN=wait")
foreach(key IN ITEMS CACHE_FOLDER DEVICE DRIVERS KERNEL_PATH LONGEST_KERNEL_MS PROFILE
                     QUEUE_WINDOW)
    list(APPEND cldsp_settings_of_tests "GR_CONF_CLDSP_${key}=")
endforeach()

# What GNU Radio sets for its own tests.
set(cldsp_blocks_of_tests "VOLK_GENERIC=1" "GR_CONF_CONTROLPORT_ON=False"
                          ${cldsp_settings_of_tests})

# cldsp_block_test(<test> COMMAND <command>... [ENVIRONMENT <variable>...]): as GNU Radio's
# gr_add_test, whose scripts break in a folder with a space in its name.
function(cldsp_block_test name)
    cmake_parse_arguments(test "" "" "COMMAND;ENVIRONMENT" ${ARGN})
    add_test(NAME ${name} COMMAND ${test_COMMAND})
    set_tests_properties(
        ${name} PROPERTIES ENVIRONMENT "${cldsp_paths_of_build};${cldsp_blocks_of_tests}")
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${test_ENVIRONMENT})
endfunction()
