// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A table that kernels read, such as taps, in the memory that is best for the device.

#pragma once

#include <cldsp/context.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace cldsp {

/*!
 * A table that kernels read, such as taps or phasors. A CPU device reads the host's copy,
 * because a write command takes longer than computing most tables; other devices get a
 * copy of their own. The table of a lost device is never freed, because a late command
 * may still read it.
 */
class device_table
{
public:
    ~device_table();
    device_table() = default;
    device_table(device_table&&) noexcept = default;
    device_table& operator=(device_table&&) = delete;

    //! Sets the content. No command that reads the table may be in flight.
    //! \throws opencl_error, also if the table exceeds the largest buffer of the device
    void set(const std::shared_ptr<const context>& device,
             const cl::CommandQueue& queue,
             const void* data,
             std::size_t bytes);
    const cl::Buffer& buffer() const { return d_buffer; }

private:
    struct release {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::shared_ptr<const context> d_device;
    std::unique_ptr<void, release> d_memory; // declared first: d_buffer may use it
    cl::Buffer d_buffer;
    std::size_t d_capacity = 0;
};

} // namespace cldsp
