# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.
# The C++ dialect of the engine and the command, the same for every way to build.

# How the engine and the command are compiled, with GNU Radio and without it. It is included
# after project().

# In its own dialect (gnu++17) GCC joins products and sums where the processor can, which
# rounds some results otherwise.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
# As GNU Radio's own debug builds, they keep up with a radio.
if(NOT CMAKE_CXX_FLAGS_DEBUG MATCHES "-O")
    string(APPEND CMAKE_CXX_FLAGS_DEBUG " -O2")
endif()
