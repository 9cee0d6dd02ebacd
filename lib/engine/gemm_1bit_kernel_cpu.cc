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

// What the kernel counts in one go, see there.
constexpr std::size_t most_words = 496;

// Bit pairs that a work-item takes at least, which makes starting it cheap, and items
// that it takes at most, so that their rows of correlations stay in the caches.
constexpr std::size_t bits_a_work_item = std::size_t(1) << 22;
constexpr std::size_t most_items_a_work_item = 64;

class gemm_1bit_kernel_cpu final : public gemm_1bit_kernel
{
public:
    gemm_1bit_kernel_cpu(std::shared_ptr<context> device, const cl::CommandQueue& queue)
        : gemm_1bit_kernel("cpu_tile", std::move(device), queue),
          // Two vectors of AVX-512's; else one, as counting fills the registers.
          d_panel(d_device->limits().native_vector_width_float >= 16 ? 16 : 4),
          d_kernel(d_device->build("gemm_1bit_cpu", "-DCODES=" + std::to_string(d_panel)),
                   "cpu_tile")
    {
    }

protected:
    std::size_t panel_codes() const override { return d_panel; }
    std::size_t code_bytes() const override { return words() * sizeof(cl_ulong); }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        pack_panels(
            codes, first, panels, d_panel, words(), reinterpret_cast<cl_ulong*>(to));
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        const std::size_t bits_an_item = d_panel * std::min(d_bits, 64 * most_words);
        const std::size_t fair = call.count / (4 * d_device->limits().compute_units);
        const std::size_t items_each =
            std::clamp(std::min(bits_a_work_item / bits_an_item, fair),
                       std::size_t(1),
                       most_items_a_work_item);
        const cl::NDRange global(codes.panels,
                                 (call.count + items_each - 1) / items_each);
        for (std::size_t first = 0; first < words(); first += most_words) {
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
                     static_cast<cl_uint>(std::min(most_words, words() - first)),
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

    const std::size_t d_panel;
    cl::Kernel d_kernel;
};

} // namespace

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_cpu(std::shared_ptr<context> device, const cl::CommandQueue& queue)
{
    return std::make_unique<gemm_1bit_kernel_cpu>(std::move(device), queue);
}

} // namespace cldsp
