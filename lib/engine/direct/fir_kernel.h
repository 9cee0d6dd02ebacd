/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/fir_executor.h"
#include <cldsp/context.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace cldsp {

//! Where a call's items or outputs lie on the device.
struct device_range {
    cl::Buffer buffer;
    std::size_t offset; //!< bytes, a multiple of the item's size
};

/*!
 * One rung of the ladder: a kernel, its tables, and how it is enqueued. The data's way to
 * the device and back is a fir_transfer's business.
 */
class fir_kernel
{
public:
    virtual ~fir_kernel() = default;
    //! Taps or frequency changed; no command is in flight.
    virtual void configure(const fir_setup& setup) = 0;
    //! Enqueues the kernel for \p outputs outputs, the first with \p phase.
    virtual cl::Event enqueue(const device_range& in,
                              const device_range& out,
                              std::size_t outputs,
                              phase64 phase) = 0;
    //! Outputs that one enqueue can take at most, at least 1.
    virtual std::size_t most_outputs() const = 0;
    virtual const std::string& name() const = 0;
};

//! What every rung is made from.
struct fir_kernel_args {
    std::shared_ptr<context> device;
    cl::CommandQueue queue;
    const fir_setup& setup;
    const tuning_values& tuned; //!< see make_opencl_fir()
};

/*!
 * \param variant the name of an OpenCL variant
 * \throws std::invalid_argument that says why if the device or the problem does not fit
 */
std::unique_ptr<fir_kernel> make_fir_kernel(const std::string& variant,
                                            const fir_kernel_args& args);

// One each family.
std::unique_ptr<fir_kernel> make_fir_kernel_cpu(const fir_kernel_args& args);
std::unique_ptr<fir_kernel> make_fir_kernel_gpu(const fir_kernel_args& args);
std::unique_ptr<fir_kernel> make_fir_kernel_ladder(const std::string& variant,
                                                   const fir_kernel_args& args);

//! The largest input items that the kernel's 32-bit offsets reach, and a call's outputs.
constexpr std::size_t max_elements_a_call = std::size_t(1) << 28;

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
