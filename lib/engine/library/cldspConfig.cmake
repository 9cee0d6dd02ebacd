# Copyright 2026 the gr-cldsp authors
#
# This file is part of gr-cldsp
#
# SPDX-License-Identifier: GPL-3.0-or-later

include("${CMAKE_CURRENT_LIST_DIR}/cldspTargets.cmake")
