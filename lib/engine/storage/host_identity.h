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
//! the kernels' instruction set, the number of cores, the version whose kernels they are.
const std::string& host_identity();

} // namespace cldsp
