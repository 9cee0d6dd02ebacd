# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# cldsp_version: the module's version, for the parts that are also built alone.

file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/../CMakeLists.txt" version_line
     REGEX "^set\\(VERSION ")
string(REGEX REPLACE "^set\\(VERSION +([^)]*)\\)" "\\1" cldsp_version "${version_line}")
