// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The version of the library as a text.

#include <cldsp/cldsp.h>

const char* cldsp_version() { return CLDSP_VERSION; }
