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
 * The seconds of a short call: the lower quartile of as many calls as fit into a run's
 * time, but not of too many.
 *
 * \param timed_call calls once. \return the seconds it took
 */
double seconds_of_calls(const std::function<double()>& timed_call);

} // namespace cldsp
