// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The host processor and the version of its kernels in one line, for keys.

#pragma once

#include <string>

namespace cldsp {

//! The host in one line, for keys of measurements: the processor as the system names it,
//! the instruction set of the kernels, the number of cores, and the version of the module
//! that the kernels belong to.
const std::string& host_identity();

} // namespace cldsp
