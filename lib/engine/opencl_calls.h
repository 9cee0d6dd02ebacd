/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/errors.h>

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
 * As with_opencl_errors(), for an action that enqueues commands. Whatever it throws, they
 * have all ended then: the host computes again where they would write, and the caller may
 * free what they read.
 */
template <class Action>
void drained_on_failure(const context& device,
                        const cl::CommandQueue& queue,
                        const Action& action)
{
    try {
        with_opencl_errors(device, action);
    } catch (...) {
        // Straight to the driver: a test's injected failure is not for this call.
        clFinish(queue());
        throw;
    }
}

} // namespace cldsp
