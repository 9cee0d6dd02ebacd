// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How a kernel that includes item_types.clh learns what the items of its input are.

#pragma once

#include <cldsp/sample_type.h>

#include <string>

namespace cldsp {

//! The compiler's options for items of this type: the macros of kernels/item_types.clh.
std::string item_options(sample_type type);

} // namespace cldsp
