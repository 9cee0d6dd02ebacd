// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The intrinsics of arm64, for the few that vector types cannot say.

#pragma once

#if defined(__aarch64__)
#include <arm_neon.h>
#endif
