/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_kernel.h"
#include "opencl/queue_window.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

// Kernels count a buffer's elements with 32 bits.
constexpr std::size_t max_bytes = std::size_t(1) << 30;

} // namespace

gemm_1bit_kernel::gemm_1bit_kernel(std::string name,
                                   std::shared_ptr<context> device,
                                   cl::CommandQueue queue)
    : d_device(std::move(device)), d_queue(std::move(queue)), d_name(std::move(name))
{
}

std::size_t gemm_1bit_kernel::max_table_bytes(const device_limits& limits)
{
    return std::min(limits.max_buffer, max_bytes);
}

void gemm_1bit_kernel::set_codes(const gemm_1bit_codes& codes)
{
    d_bits = codes.bits;
    const std::size_t panel_bytes = panel_codes() * code_bytes();
    const std::size_t most = max_table_bytes(d_device->limits()) / panel_bytes;
    if (most == 0)
        throw_invalid("bits",
                      std::to_string(d_bits),
                      "so few that variant '" + d_name + "' can put " +
                          std::to_string(panel_codes()) +
                          " codes into a buffer of device '" + d_device->name() +
                          "', which takes " +
                          std::to_string(d_device->limits().max_buffer) + " bytes");

    const std::size_t panels = (codes.count + panel_codes() - 1) / panel_codes();
    d_parts.resize((panels + most - 1) / most);
    std::vector<std::uint8_t> packed;
    for (std::size_t i = 0; i < d_parts.size(); i++) {
        auto& part = d_parts[i];
        part.first = i * most * panel_codes();
        part.panels = std::min(most, panels - i * most);
        part.count = std::min(part.panels * panel_codes(), codes.count - part.first);
        packed.resize(part.panels * panel_bytes);
        pack(codes, part.first, part.panels, packed.data());
        part.table.set(d_device, d_queue, packed.data(), packed.size());
    }
}

void gemm_1bit_kernel::enqueue(const gemm_1bit_call& call, std::vector<cl::Event>& events)
{
    for (const auto& part : d_parts)
        enqueue_part(call, part, events);
}

void gemm_1bit_kernel::run(const cl::Kernel& kernel,
                           const cl::NDRange& global,
                           const cl::NDRange& group,
                           std::vector<cl::Event>& events)
{
    auto slot = d_device->admit_command(d_queue);
    events.emplace_back();
    d_queue.enqueueNDRangeKernel(
        kernel, cl::NullRange, global, group, nullptr, &events.back());
    slot.enqueued(events.back());
}

std::unique_ptr<gemm_1bit_kernel> make_gemm_1bit_kernel(const std::string& variant,
                                                        const gemm_1bit_kernel_args& args)
{
    if (variant == "cpu_tile")
        return make_gemm_1bit_kernel_cpu(args);
    if (variant == "gpu_tile")
        return make_gemm_1bit_kernel_gpu(args);
    return make_gemm_1bit_kernel_ladder(variant, args);
}

} // namespace cldsp
