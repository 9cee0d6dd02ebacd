/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <vector>

namespace cldsp {

/*!
 * OpenCL's platforms, and the devices of one, as OpenCL numbers them.
 *
 * A driver may initialise itself in the first of these calls, and not all do that safely:
 * a second thread that calls at the same time gets devices from PoCL that are not ready.
 * These functions let one thread of the process in at a time, and nothing else here may
 * call clGetPlatformIDs and clGetDeviceIDs. They prepare the environment first; see
 * prepare_opencl_environment().
 *
 * \throws cl::Error also if there is no platform, or no device
 */
std::vector<cl::Platform> opencl_platforms();
std::vector<cl::Device> opencl_devices(const cl::Platform& platform);

} // namespace cldsp
