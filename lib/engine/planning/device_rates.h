/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>

namespace cldsp {

//! The seconds that an OpenCL device needs for each unit of computation and of transfer.
struct device_rates {
    double call;     //!< of an enqueue and the wait for it
    double flop;     //!< of a floating-point operation of direct kernels, all units busy
    double fft_flop; //!< of one of a transform, which memory slows down
    double transfer; //!< of a byte, on the way to the device or back
    double copy;     //!< of a byte that the host or a driver copies besides
    double map;      //!< of a map and unmap, or of a further transfer command
};

//! Rates of a device from what OpenCL tells of it; of a CPU, as on the model's machine.
device_rates estimated_rates(const device_info& device);

} // namespace cldsp
