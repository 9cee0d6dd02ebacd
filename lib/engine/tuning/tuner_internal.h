/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <functional>

namespace cldsp {

/*!
 * The seconds of a short call: the lower quartile of many calls. As many calls are made
 * as fit into the time of a run, up to a limit.
 *
 * \param timed_call makes one call and returns the seconds it took
 */
double seconds_of_calls(const std::function<double()>& timed_call);

} // namespace cldsp
