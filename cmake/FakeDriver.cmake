# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Builds a driver that fails in a chosen way, for the tests of engine, command and blocks.

if(TARGET cldsp_fake_icd)
    return()
endif()

add_library(cldsp_fake_icd MODULE "${CMAKE_CURRENT_LIST_DIR}/../apps/tests/fake_icd.cc")
target_compile_features(cldsp_fake_icd PRIVATE cxx_std_17)
target_compile_options(cldsp_fake_icd PRIVATE -Wall -Wextra)
# Only OpenCL's headers are needed: a driver is not linked to the loader.
find_package(OpenCL REQUIRED)
target_include_directories(cldsp_fake_icd SYSTEM PRIVATE ${OpenCL_INCLUDE_DIRS})
