// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists OpenCL's platforms and devices, one thread at a time.

#pragma once

#include <cldsp/context.h>
#include <cldsp/drivers.h>

#include <vector>

namespace cldsp {

/*!
 * OpenCL's platforms, and the devices of a platform, in OpenCL's order.
 *
 * A driver may initialise itself in the first of these calls. Not every driver does that
 * safely: with PoCL, a second thread that calls at the same time gets devices that are
 * not ready. Therefore these functions let one thread of the process in at a time, and no
 * other code of the engine may call clGetPlatformIDs or clGetDeviceIDs. They also bind
 * each of PoCL's worker threads to a processor, see opencl/pocl_workers.h.
 *
 * \param only the drivers that may be loaded, because there are others that failed in
 *        their proof; empty: all. It counts if no driver is loaded yet
 * \throws cl::Error if a call fails; many systems report so that there is no platform or
 * no device
 */
std::vector<cl::Platform> opencl_platforms(const std::vector<icd_entry>& only = {});
std::vector<cl::Device> opencl_devices(const cl::Platform& platform);

/*!
 * A device that was listed. The drivers that the policy permits are loaded, if none is
 * yet. Where another process has listed it, it is found by its name: other code of this
 * process may have loaded more drivers, so that platforms have other numbers.
 *
 * \throws cl::Error if a call fails, with CL_DEVICE_NOT_FOUND if the device is gone
 */
cl::Device opencl_device(const device_info& device, driver_policy drivers);

} // namespace cldsp
