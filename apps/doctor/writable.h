/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>

namespace cldsp::app {

//! What keeps a folder from being written, in words; empty: nothing. It is made if it is
//! not there.
std::string why_not_writable(const std::string& folder);

} // namespace cldsp::app
