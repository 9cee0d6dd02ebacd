// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists OpenCL's platforms and devices, one thread at a time.

#pragma once

#include <cldsp/context.h>

#include <vector>

namespace cldsp {

/*!
 * OpenCL's platforms, and the devices of a platform, in OpenCL's order.
 *
 * A driver may initialise itself in the first of these calls. Not every driver does that
 * safely: with PoCL, a second thread that calls at the same time gets devices that are
 * not ready. Therefore these functions let one thread of the process in at a time, and no
 * other code of the engine may call clGetPlatformIDs or clGetDeviceIDs. They also bind each
 * of PoCL's worker threads to a processor, see opencl/pocl_workers.h.
 *
 * \throws cl::Error if a call fails; many systems report so that there is no platform or
 * no device
 */
std::vector<cl::Platform> opencl_platforms();
std::vector<cl::Device> opencl_devices(const cl::Platform& platform);

} // namespace cldsp
