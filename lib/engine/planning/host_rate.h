// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The speed of the host at an operation, measured once on each machine.

#pragma once

#include "planning/planner.h"

#include <cldsp/context.h>

#include <functional>
#include <optional>
#include <string>

namespace cldsp {

/*!
 * The operations per second of one thread of the host. The first call measures them, and
 * the registry remembers them. Registries without a file of wisdom share one measurement.
 *
 * \param registry the registry
 * \param work names the kind of operation, e.g. "gemm f32"
 * \param in_file whether other processes are to know the rate, too: writing the file
 *        takes longer than the measurement
 * \param measure measures a call that one thread computes
 */
double calibrated_host_rate(context_registry& registry,
                            const std::string& work,
                            bool in_file,
                            const std::function<double()>& measure);

//! The same, without measuring: empty if the registry remembers no rate.
std::optional<double> known_host_rate(context_registry& registry,
                                      const std::string& work);

//! The shortest time of some calls of a trial, which take a few milliseconds.
double fastest_seconds(plan_trial& trial);

} // namespace cldsp
