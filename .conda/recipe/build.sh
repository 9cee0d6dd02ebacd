#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# Builds and installs the module for conda.

set -ex

# shellcheck disable=SC2086,SC2154
cmake ${CMAKE_ARGS:-} -G Ninja -S . -B buildconda \
    -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PREFIX" \
    -DLIB_SUFFIX="" \
    -DENABLE_TESTING=OFF \
    -DENABLE_BENCHMARKS=OFF
# shellcheck disable=SC2154
cmake --build buildconda -- -j"$CPU_COUNT"
cmake --install buildconda
