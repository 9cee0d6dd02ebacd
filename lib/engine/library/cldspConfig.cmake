# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Lets programs find the installed library by find_package().

include("${CMAKE_CURRENT_LIST_DIR}/cldspTargets.cmake")
