/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>

namespace cldsp {

/*!
 * Whether a text has the form of FFTW's wisdom, with numbers as large as FFTW takes them.
 *
 * FFTW itself refuses texts of other versions, and ends the process where a number of an
 * entry has more bits than its place; so a text that comes from a file is looked at
 * first.
 */
bool is_fftw_wisdom(const std::string& text);

} // namespace cldsp
