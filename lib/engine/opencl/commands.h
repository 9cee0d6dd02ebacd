// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Sets a kernel's arguments, runs commands, and checks how each one ended.

#pragma once

#include "base/page_memory.h"
#include "opencl/device_watch.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/phase.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cldsp {

//! Runs \p action, and turns its cl::Error into an opencl_error.
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
 * Makes a \p T for a device. Its constructor copies handles, which the driver has to
 * retain. If the driver refuses to, this function throws an opencl_error.
 */
template <class T, class... Arguments>
std::unique_ptr<T> make_on_device(const std::shared_ptr<context>& device,
                                  const Arguments&... arguments)
{
    return with_opencl_errors(*device,
                              [&] { return std::make_unique<T>(device, arguments...); });
}

/*!
 * As with_opencl_errors(), for an action that enqueues commands and waits for their
 * results. Afterwards the status of every command is checked, because the results are
 * good only if all of them succeeded. When this function throws, the commands have ended,
 * or the device is lost, and memory that they may still use is never released.
 *
 * \param multiply_adds the work of the commands, see context::expect()
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

//! The place of a call's items or outputs on the device.
struct device_range {
    cl::Buffer buffer;
    std::size_t offset; //!< bytes, a multiple of the item's size
};

//! The largest number of input items, and of outputs, of one call: kernels have 32-bit
//! offsets.
constexpr std::size_t max_elements_per_call = std::size_t(1) << 28;

//! A size in the form that kernels take.
inline cl_uint word(std::size_t value) { return static_cast<cl_uint>(value); }

//! A phase in the form that kernels take: its high and its low word.
inline cl_uint2 phase_words(phase64 phase)
{
    cl_uint2 words;
    words.s[0] = phase.high();
    words.s[1] = phase.low();
    return words;
}

//! Sets all arguments of a kernel, in order. The kernel keeps a reference to the cl_mem
//! of each buffer.
template <class... T>
void set_args(cl::Kernel& kernel, const T&... values)
{
    cl_uint i = 0;
    (kernel.setArg(i++, values), ...);
}

/*!
 * The number of work-items that a group of this compiled kernel may have: a driver may
 * allow fewer than the device has, because a group shares the registers. Launches of
 * larger groups are refused.
 */
std::size_t max_group_of(const context& device, const cl::Kernel& kernel);

//! Enqueues a kernel, and returns its event. \throws cl::Error, opencl_error
cl::Event enqueue_kernel(const context& device,
                         const cl::CommandQueue& queue,
                         const cl::Kernel& kernel,
                         const cl::NDRange& items,
                         const cl::NDRange& group);

//! Reads the first bytes of a buffer into memory, as many as that has, and waits until
//! they are there. If that fails, the memory is never freed, because a late command may
//! still write to it. \throws opencl_error
void read_into(const context& device,
               const cl::CommandQueue& queue,
               const cl::Buffer& from,
               const page_memory& to);

//! The time in seconds that a command ran which has been waited for, see
//! device_watch::span_of(); 0 if it is unknown.
double event_seconds(const context& device, const cl::Event& event);

//! The time during which at least one of several finished commands ran.
class time_spans
{
public:
    explicit time_spans(const context& device) : d_device(device) {}

    void add(const cl::Event& event);
    //! Seconds; commands whose times are unknown count as none.
    double seconds() const;

private:
    const context& d_device;
    std::vector<command_span> d_spans;
};

} // namespace cldsp
