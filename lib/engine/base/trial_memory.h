/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/lent_memory.h"

#include <cldsp/sample_type.h>

#include <cstddef>

namespace cldsp {

//! Memory for a measurement.
using trial_memory = lent_memory;

//! Items of noise that is finite and of ordinary size in every input type.
trial_memory trial_input(sample_type type, std::size_t items);

} // namespace cldsp
