/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/errors.h>

#include <string>

namespace cldsp {

/*!
 * Runs \p action, which enqueues commands. Whatever it throws, they have all ended then:
 * the host computes again where they would write, and the caller may free what they read.
 *
 * \throws opencl_error for an error of OpenCL, else what \p action throws
 */
template <class Action>
void drained_on_failure(const cl::CommandQueue& queue,
                        const std::string& device,
                        const Action& action)
{
    // Straight to the driver: a test's injected failure is not for this call.
    const auto drain = [&] { clFinish(queue()); };
    try {
        action();
    } catch (const cl::Error& e) {
        drain();
        throw opencl_error(e.what(), e.err(), device);
    } catch (...) {
        drain();
        throw;
    }
}

} // namespace cldsp
