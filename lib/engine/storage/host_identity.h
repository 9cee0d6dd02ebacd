/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>

namespace cldsp {

//! The host in one line, for keys of measurements: the processor as the system names it,
//! the instruction set of the kernels, the number of cores, and the version of the module
//! that the kernels belong to.
const std::string& host_identity();

} // namespace cldsp
