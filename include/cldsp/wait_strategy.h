/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

namespace cl {
class Event;
}

namespace cldsp {

struct device_info;

/*!
 * How the host waits for a device without keeping a core busy.
 *
 * Some drivers spin inside clWaitForEvents (VC4CL and NVIDIA's among them). This waits on a
 * condition variable that the event's completion callback signals; a driver that does not
 * deliver callbacks is polled with growing sleeps instead. PoCL's clWaitForEvents sleeps by
 * itself and wakes up sooner, so that it is used there.
 */
class wait_strategy
{
public:
    explicit wait_strategy(const device_info& device);

    /*!
     * Flushes the event's queue and waits.
     *
     * Returns the event's final status: 0 (CL_COMPLETE) or a negative OpenCL code.
     * \throws opencl_error if the event cannot be waited for
     */
    int wait(const cl::Event& event) const;

private:
    bool d_driver_blocks; // clWaitForEvents sleeps and does not spin
};

} // namespace cldsp
