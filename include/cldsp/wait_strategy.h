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

/*!
 * How the host waits for a device without keeping a core busy.
 *
 * Some drivers spin inside clWaitForEvents (VC4CL and NVIDIA's among them). This waits on a
 * condition variable that the event's completion callback signals; a driver that does not
 * deliver callbacks is polled with growing sleeps instead.
 */
class wait_strategy
{
public:
    /*!
     * Returns the event's final status: 0 (CL_COMPLETE) or a negative OpenCL code.
     * \throws opencl_error if the event cannot be waited for
     */
    int wait(const cl::Event& event) const;
};

} // namespace cldsp
