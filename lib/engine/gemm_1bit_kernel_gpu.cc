/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit_kernel.h"

#include <algorithm>
#include <utility>

namespace cldsp {

namespace {

constexpr std::size_t codes_each = 4, items_each = 4; // of a work-item
constexpr std::size_t most_depth = 16;                // words in local memory at once

class gemm_1bit_kernel_gpu final : public gemm_1bit_kernel
{
public:
    gemm_1bit_kernel_gpu(std::shared_ptr<context> device, const cl::CommandQueue& queue)
        : gemm_1bit_kernel("gpu_tile", std::move(device), queue)
    {
        const auto& limits = d_device->limits();
        const auto fits = [&] {
            const std::size_t words =
                (items_each * d_items + 1 + codes_each * d_codes) * d_depth;
            return d_codes * d_items <= limits.max_work_group_size &&
                   d_codes <= limits.max_work_item_sizes[0] &&
                   d_items <= limits.max_work_item_sizes[1] &&
                   words * sizeof(cl_uint) <= limits.local_memory;
        };
        while (!fits() && d_codes * d_items > 1)
            (d_items >= d_codes ? d_items : d_codes) /= 2;
        while (!fits() && d_depth > 2)
            d_depth /= 2;
    }

protected:
    std::size_t panel_codes() const override { return codes_each * d_codes; }
    std::size_t code_bytes() const override { return words() * sizeof(cl_uint); }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        // One panel of all: neighbouring groups' loads follow each other.
        pack_panels(codes,
                    first,
                    1,
                    panels * panel_codes(),
                    words(),
                    reinterpret_cast<cl_uint*>(to));
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        const bool aligned = call.items.offset % 4 == 0 && item_bytes() % 4 == 0;
        cl::Kernel& kernel = built(aligned);
        set_args(kernel,
                 call.items.buffer,
                 static_cast<cl_uint>(call.items.offset),
                 static_cast<cl_uint>(item_bytes()),
                 static_cast<cl_uint>(call.count),
                 codes.table.buffer(),
                 static_cast<cl_uint>(words()),
                 static_cast<cl_uint>(codes.panels * panel_codes()),
                 static_cast<cl_uint>(codes.count),
                 static_cast<cl_int>(d_bits),
                 call.out.buffer,
                 static_cast<cl_uint>(call.out.offset / sizeof(cl_int) + codes.first),
                 static_cast<cl_uint>(call.out_step));
        const std::size_t items = items_each * d_items;
        run(kernel,
            cl::NDRange(codes.panels * d_codes,
                        (call.count + items - 1) / items * d_items),
            cl::NDRange(d_codes, d_items),
            events);
    }

private:
    std::size_t words() const
    {
        const std::size_t bytes = d_depth * sizeof(cl_uint);
        return (item_bytes() + bytes - 1) / bytes * d_depth;
    }

    cl::Kernel& built(bool aligned)
    {
        cl::Kernel& kernel = d_kernels[aligned];
        if (!kernel())
            kernel = cl::Kernel(
                d_device->build("gemm_1bit_gpu",
                                "-DGROUP_CODES=" + std::to_string(d_codes) +
                                    " -DGROUP_ITEMS=" + std::to_string(d_items) +
                                    " -DEACH_CODES=" + std::to_string(codes_each) +
                                    " -DEACH_ITEMS=" + std::to_string(items_each) +
                                    " -DDEPTH=" + std::to_string(d_depth) +
                                    (aligned ? " -DALIGNED" : "")),
                "gpu_tile");
        return kernel;
    }

    std::size_t d_codes = 16, d_items = 16; // work-items of a group
    std::size_t d_depth = most_depth;
    cl::Kernel d_kernels[2];
};

} // namespace

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_gpu(std::shared_ptr<context> device, const cl::CommandQueue& queue)
{
    return std::make_unique<gemm_1bit_kernel_gpu>(std::move(device), queue);
}

} // namespace cldsp
