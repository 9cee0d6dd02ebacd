// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Predicts the seconds of a call on an OpenCL device.

#pragma once

#include "filter/host_rates.h"
#include "filter/plan_shape.h"
#include "filter/variants.h"
#include "planning/device_rates.h"

namespace cldsp {

/*!
 * The seconds of a typical call on an OpenCL device: those of its kernels, of the
 * transfers, and of the enqueues.
 *
 * \param kernels seconds of all kernels
 * \param runs enqueues of the call that wait for one another
 * \param host its slowness is that of a CPU device. OpenCL tells little about the speed of
 *        a CPU, but the CPU device is the host, which has been measured
 */
double device_seconds(const plan_shape& shape,
                      const plan_place& place,
                      double kernels,
                      double runs,
                      const host_rates& host);

} // namespace cldsp
