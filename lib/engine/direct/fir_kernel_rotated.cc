// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Uploads rotated taps, and enqueues the kernel that takes them.

#include "direct/fir_kernel_rotated.h"
#include "opencl/queue_window.h"

#include <complex>
#include <vector>

namespace cldsp {

fir_kernel_rotated::fir_kernel_rotated(std::string name, const fir_kernel_args& args)
    : d_name(std::move(name)),
      d_device(args.device),
      d_queue(args.queue),
      d_setup(args.setup)
{
    upload_taps();
}

void fir_kernel_rotated::configure(const filter_channel& setup)
{
    d_setup = setup;
    upload_taps();
}

void fir_kernel_rotated::upload_taps()
{
    const auto taps = d_setup.rotated();
    const std::vector<std::complex<float>> reversed(taps.rbegin(), taps.rend());
    d_taps.set(d_device,
               d_queue,
               reversed.data(),
               reversed.size() * sizeof(std::complex<float>));
}

cl::Event fir_kernel_rotated::enqueue(const device_range& in,
                                      const device_range& out,
                                      std::size_t outputs,
                                      phase64 phase)
{
    cl::NDRange group;
    const cl::NDRange items = prepare(outputs, group);
    set_args(d_kernel,
             in.buffer,
             static_cast<cl_uint>(in.offset),
             d_taps.buffer(),
             static_cast<cl_uint>(d_setup.taps()),
             static_cast<cl_uint>(d_setup.problem.decimation),
             out.buffer,
             static_cast<cl_uint>(out.offset / sizeof(std::complex<float>)),
             static_cast<cl_uint>(outputs));
    set_last_args(
        8, phase_words(phase), phase_words(-d_setup.step * d_setup.problem.decimation));
    return enqueue_kernel(*d_device, d_queue, d_kernel, items, group);
}

} // namespace cldsp
