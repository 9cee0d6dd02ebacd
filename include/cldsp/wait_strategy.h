// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Waits for a device without keeping a core busy.

#pragma once

#include <functional>

namespace cl {
class Event;
}

namespace cldsp {

struct device_info;

/*!
 * Waits for a device without keeping a core busy.
 *
 * Some drivers spin inside clWaitForEvents (VC4CL and NVIDIA's among them). This class
 * sleeps on a condition variable that the event's completion callback signals, and reads
 * the event's status at growing intervals in case the callback is late or never comes. It
 * calls no wait function of a driver, because those have no time limit. Two drivers are
 * treated specially. With PoCL the thread first yields its core to PoCL's threads, for at
 * most 200 us. With NVIDIA's driver no callback is registered, because its callbacks come
 * a millisecond late, from a thread that spins.
 */
class wait_strategy
{
public:
    explicit wait_strategy(const device_info& device);

    /*!
     * Flushes the event's queue and waits.
     *
     * \param event the event of a command
     * \param goes_on called now and then during a long wait, by the waiting thread. If it
     * returns false, the wait ends. Empty: the wait has no time limit
     * \returns the final status of the event: 0 (CL_COMPLETE) or a negative OpenCL code.
     * If goes_on() ended the wait, it is the positive status of the unfinished command
     * \throws opencl_error if the event cannot be waited for
     */
    int wait(const cl::Event& event,
             const std::function<bool()>& goes_on = nullptr) const;

private:
    enum class method { yields, callback, sleeps };
    method d_method;
};

} // namespace cldsp
