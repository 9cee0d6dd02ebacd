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
#include <cldsp/phase.h>

#include <cstddef>
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
    return with_opencl_errors(*device,
                              [&] { return std::make_unique<T>(device, arguments...); });
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

//! Where a call's items or outputs lie on the device.
struct device_range {
    cl::Buffer buffer;
    std::size_t offset; //!< bytes, a multiple of the item's size
};

//! The largest input items that the kernel's 32-bit offsets reach, and a call's outputs.
constexpr std::size_t max_elements_per_call = std::size_t(1) << 28;

//! (high, low) words of a phase, as kernels take it.
inline cl_uint2 phase_words(phase64 phase)
{
    cl_uint2 words;
    words.s[0] = phase.high();
    words.s[1] = phase.low();
    return words;
}

//! Sets all of a kernel's arguments in order. The kernel holds on to buffers' cl_mem.
template <class... T>
void set_args(cl::Kernel& kernel, const T&... values)
{
    cl_uint i = 0;
    (kernel.setArg(i++, values), ...);
}

//! Seconds that a finished command ran, by its profiling event; 0 if the driver does not
//! tell.
double event_seconds(const cl::Event& event);

} // namespace cldsp
