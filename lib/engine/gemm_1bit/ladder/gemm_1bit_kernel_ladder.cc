// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit products with one correlation for each work-item, for comparison.

#include "gemm_1bit/gemm_1bit_problem.h"
#include "opencl/kernel_groups.h"

#include <algorithm>

namespace cldsp {

namespace {

//! Variants in which a work-item computes one correlation.
class gemm_1bit_kernel_ladder final : public gemm_1bit_kernel
{
public:
    //! \param variant the name, which is that of the kernel, too
    gemm_1bit_kernel_ladder(const std::string& variant, const gemm_1bit_kernel_args& args)
        : gemm_1bit_kernel(variant, args.device, args.queue),
          d_kernel(d_device->build("gemm_1bit", ""), variant.c_str())
    {
        d_group = group_up_to(*d_device, d_kernel, 64);
    }

protected:
    std::size_t panel_codes() const override { return 1; }
    std::size_t code_bytes() const override { return (item_bytes() + 3) / 4 * 4; }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        for (std::size_t i = 0; i < panels; i++, to += code_bytes()) {
            const auto* code = codes.bytes.data() + (first + i) * item_bytes();
            std::fill(std::copy(code, code + item_bytes(), to), to + code_bytes(), 0);
        }
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        set_args(d_kernel,
                 call.items.buffer,
                 static_cast<cl_uint>(call.items.offset),
                 static_cast<cl_uint>(item_bytes()),
                 codes.table.buffer(),
                 static_cast<cl_uint>(code_bytes()),
                 static_cast<cl_uint>(codes.count),
                 static_cast<cl_int>(d_bits),
                 call.out.buffer,
                 static_cast<cl_uint>(call.out.offset / sizeof(cl_int) + codes.first),
                 static_cast<cl_uint>(call.out_step));
        run(d_kernel,
            cl::NDRange((codes.count + d_group - 1) / d_group * d_group, call.count),
            cl::NDRange(d_group, 1),
            events);
    }

private:
    cl::Kernel d_kernel;
    std::size_t d_group = 1;
};

gemm_1bit_variant rung(const std::string& name, const std::string& description)
{
    return { { name, description, "desktop", {} }, [name](const auto& args) {
                return std::make_unique<gemm_1bit_kernel_ladder>(name, args);
            } };
}

} // namespace

const gemm_1bit_variant& gemm_1bit_naive_variant()
{
    static const auto& variant = *new auto(
        rung("naive",
             "one correlation a work-item, byte by byte, summed in the output's memory"));
    return variant;
}

const gemm_1bit_variant& gemm_1bit_private_sum_variant()
{
    static const auto& variant =
        *new auto(rung("private_sum", "as naive, word by word, summed in a register"));
    return variant;
}

} // namespace cldsp
