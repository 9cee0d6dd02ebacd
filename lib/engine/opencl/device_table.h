/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace cldsp {

/*!
 * Taps or phasors that kernels read. A CPU device reads them where the host has put them,
 * for a write command costs more than most tables take to compute; others get a copy.
 * That of a lost device is never freed: a command may come to it late.
 */
class device_table
{
public:
    ~device_table();
    device_table() = default;
    device_table(device_table&&) noexcept = default;
    device_table& operator=(device_table&&) = delete;

    //! No command that reads the table may be in flight.
    //! \throws opencl_error, also for a table over the device's limit
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
    std::unique_ptr<void, release> d_memory; // before the buffer, which may use it
    cl::Buffer d_buffer;
    std::size_t d_capacity = 0;
};

} // namespace cldsp
