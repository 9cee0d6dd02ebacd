# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Lets tests without GNU Radio load this build's engine, not an installed one.

# cldsp_library_of_build: the variable, for a test's ENVIRONMENT, with which programs that need
# nothing of GNU Radio load the build's libcldsp. A folder in LD_LIBRARY_PATH, where an older one
# may be installed, would otherwise come before the path in the program.
set(cldsp_library_of_build "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:cldsp_library>")
if(NOT "$ENV{LD_LIBRARY_PATH}" STREQUAL "")
    string(APPEND cldsp_library_of_build ":$ENV{LD_LIBRARY_PATH}")
endif()
