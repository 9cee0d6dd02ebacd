// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The seconds that a device needs for an operation, a byte and a call.

#pragma once

#include <cldsp/device.h>

namespace cldsp {

//! The seconds that an OpenCL device needs for each unit of computation and of transfer.
struct device_rates {
    double call; //!< seconds for an enqueue and the wait for it
    double flop; //!< seconds for a floating-point operation of a direct kernel, with all
                 //!< units busy
    double fft_flop; //!< seconds for a floating-point operation of a transform, which
                     //!< memory slows down
    double memory;   //!< seconds for a byte that a kernel reads or writes in its memory
    double transfer; //!< seconds for a byte on the way to the device or back
    double copy;     //!< seconds for a byte of a further copy by the host or a driver
    double map;      //!< seconds for a map and unmap, or a further transfer command
};

//! Estimates the rates of a device from the properties that OpenCL tells; the rates of a
//! CPU device are those of the machine on which the cost model was measured.
device_rates estimated_rates(const device_info& device);

} // namespace cldsp
