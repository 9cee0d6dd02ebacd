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
 * Some drivers spin inside clWaitForEvents (VC4CL and NVIDIA's among them). This sleeps
 * on a condition variable that the event's completion callback signals, and looks at the
 * event's status in growing steps in case the callback is late or never comes. Two
 * drivers are known better: PoCL's clWaitForEvents sleeps by itself and wakes up sooner,
 * after at most 200 us in which the thread only yields its core to PoCL's workers;
 * NVIDIA's callbacks come a millisecond late from a thread that spins, so that none is
 * asked for.
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
    enum class method { driver, callback, sleeps };
    method d_method;
};

} // namespace cldsp
