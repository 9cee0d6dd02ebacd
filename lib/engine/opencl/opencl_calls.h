/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "opencl/device_watch.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <memory>

namespace cldsp {

//! Runs \p action; what the driver refuses becomes an opencl_error.
template <class Action>
auto with_opencl_errors(const context& device, Action&& action)
{
    try {
        return action();
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device.name());
    }
}

/*!
 * A \p T that keeps its device and is made from it: its members copy handles, which a
 * driver may refuse.
 */
template <class T, class... Arguments>
std::unique_ptr<T> make_on_device(const std::shared_ptr<context>& device,
                                  const Arguments&... arguments)
{
    return with_opencl_errors(
        *device, [&] { return std::make_unique<T>(device, arguments...); });
}

/*!
 * As with_opencl_errors(), for an action that enqueues commands of so many \p
 * multiply_adds and waits for its results. Those are good only if every command ended
 * well, which is asked of each. Whatever is thrown, the commands have ended then, or the
 * device is lost: then what they may still use stays for ever.
 */
template <class Action>
void run_commands(const context& device,
                  const cl::CommandQueue& queue,
                  double multiply_adds,
                  const Action& action)
{
    const auto work = device.expect(multiply_adds);
    try {
        with_opencl_errors(device, action);
        device.check_commands(queue);
    } catch (...) {
        device.drain(queue);
        throw;
    }
}

} // namespace cldsp
