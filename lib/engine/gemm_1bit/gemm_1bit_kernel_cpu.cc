/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_kernel.h"
#include "gemm_1bit/gemm_1bit_tuning.h"

#include <algorithm>

namespace cldsp {

namespace {

class gemm_1bit_kernel_cpu final : public gemm_1bit_kernel
{
public:
    explicit gemm_1bit_kernel_cpu(const gemm_1bit_kernel_args& args)
        : gemm_1bit_kernel("cpu_tile", args.device, args.queue),
          d_parameters(gemm_1bit_values({ name(), *d_device }, args.bits, args.tuned)),
          d_kernel(d_device->build("gemm_1bit_cpu",
                                   "-DCODES=" + std::to_string(d_parameters.codes)),
                   "cpu_tile")
    {
    }

protected:
    std::size_t panel_codes() const override { return d_parameters.codes; }
    std::size_t code_bytes() const override { return words() * sizeof(cl_ulong); }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        pack_panels(codes,
                    first,
                    panels,
                    d_parameters.codes,
                    words(),
                    reinterpret_cast<cl_ulong*>(to));
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        const auto& p = d_parameters;
        const std::size_t bits_per_item = p.codes * std::min(d_bits, 64 * p.block_words);
        const std::size_t fair = call.count / (4 * d_device->limits().compute_units);
        const std::size_t items_each = std::clamp(
            std::min(p.item_bits / bits_per_item, fair), std::size_t(1), p.items);
        const cl::NDRange global(codes.panels,
                                 (call.count + items_each - 1) / items_each);
        for (std::size_t first = 0; first < words(); first += p.block_words) {
            set_args(d_kernel,
                     call.items.buffer,
                     static_cast<cl_uint>(call.items.offset),
                     static_cast<cl_uint>(item_bytes()),
                     static_cast<cl_uint>(call.count),
                     static_cast<cl_uint>(items_each),
                     codes.table.buffer(),
                     static_cast<cl_uint>(words()),
                     static_cast<cl_uint>(codes.count),
                     static_cast<cl_uint>(first),
                     static_cast<cl_uint>(std::min(p.block_words, words() - first)),
                     static_cast<cl_int>(d_bits),
                     static_cast<cl_int>(first > 0),
                     call.out.buffer,
                     static_cast<cl_uint>(call.out.offset / sizeof(cl_int) + codes.first),
                     static_cast<cl_uint>(call.out_step));
            run(d_kernel, global, cl::NDRange(1, 1), events);
        }
    }

private:
    std::size_t words() const
    {
        return (item_bytes() + sizeof(cl_ulong) - 1) / sizeof(cl_ulong);
    }

    const gemm_1bit_cpu_parameters d_parameters;
    cl::Kernel d_kernel;
};

} // namespace

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_cpu(const gemm_1bit_kernel_args& args)
{
    return std::make_unique<gemm_1bit_kernel_cpu>(args);
}

} // namespace cldsp
