/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_kernel.h"
#include "gemm_1bit/gemm_1bit_tuning.h"

#include <string>

namespace cldsp {

namespace {

class gemm_1bit_kernel_gpu final : public gemm_1bit_kernel
{
public:
    explicit gemm_1bit_kernel_gpu(const gemm_1bit_kernel_args& args)
        : gemm_1bit_kernel("gpu_tile", args.device, args.queue),
          d_parameters(gemm_1bit_values({ name(), *d_device }, args.bits, args.tuned))
    {
    }

protected:
    std::size_t panel_codes() const override { return d_parameters.codes(); }
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
        const auto& p = d_parameters;
        run(kernel,
            cl::NDRange(codes.panels * p.group_codes,
                        (call.count + p.items() - 1) / p.items() * p.group_items),
            cl::NDRange(p.group_codes, p.group_items),
            events);
    }

private:
    std::size_t words() const
    {
        const std::size_t bytes = d_parameters.depth * sizeof(cl_uint);
        return (item_bytes() + bytes - 1) / bytes * d_parameters.depth;
    }

    cl::Kernel& built(bool aligned)
    {
        cl::Kernel& kernel = d_kernels[aligned];
        const auto& p = d_parameters;
        if (!kernel())
            replace(kernel,
                    cl::Kernel(d_device->build(
                                   "gemm_1bit_gpu",
                                   "-DGROUP_CODES=" + std::to_string(p.group_codes) +
                                       " -DGROUP_ITEMS=" + std::to_string(p.group_items) +
                                       " -DEACH_CODES=" + std::to_string(p.each_codes) +
                                       " -DEACH_ITEMS=" + std::to_string(p.each_items) +
                                       " -DDEPTH=" + std::to_string(p.depth) +
                                       (aligned ? " -DALIGNED" : "")),
                               "gpu_tile"));
        return kernel;
    }

    const gemm_1bit_gpu_parameters d_parameters;
    cl::Kernel d_kernels[2];
};

} // namespace

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_gpu(const gemm_1bit_kernel_args& args)
{
    return std::make_unique<gemm_1bit_kernel_gpu>(args);
}

} // namespace cldsp
