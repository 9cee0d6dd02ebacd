// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Enqueues the kernels of products, with their work spaces and factors.

#pragma once

#include "gemm/gemm_kernel.h"
#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <complex>
#include <string>

namespace cldsp {

//! Enqueues one kernel.
inline cl::Event enqueue_kernel(const gemm_kernel_args& args,
                                const cl::Kernel& kernel,
                                const cl::NDRange& items,
                                const cl::NDRange& group)
{
    return enqueue_kernel(*args.device, args.queue, kernel, items, group);
}

//! Makes a work space at least \p bytes large.
//! \throws std::invalid_argument if the device cannot hold it
inline const cl::Buffer& reserve(device_buffer& space,
                                 const context& device,
                                 std::size_t bytes,
                                 const std::string& what)
{
    if (bytes > device.limits().max_buffer)
        throw_invalid("matrices' sizes",
                      what + " of " + std::to_string(bytes) + " bytes",
                      "at most " + std::to_string(device.limits().max_buffer) +
                          " bytes on " + device.name());
    space.reserve(bytes);
    return space.buffer();
}

//! A complex factor in the form that kernels take.
inline cl_float2 float_pair(std::complex<float> x)
{
    cl_float2 pair;
    pair.s[0] = x.real();
    pair.s[1] = x.imag();
    return pair;
}

//! Checks sizes that the kernels count in 32 bits.
//! \throws std::invalid_argument for sizes that are too large for that
inline void check_sizes(const gemm_shape& shape)
{
    constexpr std::size_t most = std::size_t(1) << 30;
    for (const auto& [name, size] :
         { std::pair("m", shape.m), std::pair("n", shape.n), std::pair("k", shape.k) })
        if (size > most)
            throw_invalid(name, std::to_string(size), "at most " + std::to_string(most));
}

} // namespace cldsp
