// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit products on Hopper's matrix units, which multiply by a logical and.

#include "base/arithmetic.h"
#include "base/page_memory.h"
#include "gemm_1bit/gemm_1bit_problem.h"
#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/held_memory.h"
#include "opencl/matrix_units.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

constexpr int type_of_bits = 4; // BITS of the kernel

cl_uint ones(cl_uint value)
{
    return static_cast<cl_uint>(std::bitset<32>(value).count());
}

/*!
 * The kernel for the matrix units of NVIDIA's Hopper GPUs, which multiply by a logical
 * and. Items are packed before each call, and codes once; the number of ones of each
 * follows behind all blocks.
 */
class gemm_1bit_kernel_warpgroup final : public gemm_1bit_kernel
{
public:
    gemm_1bit_kernel_warpgroup(const gemm_1bit_kernel_args& args, tensor_mode mode)
        : gemm_1bit_kernel("warpgroup", args.device, args.queue),
          d_packed(args.device),
          d_mode(mode)
    {
        const auto reason = missing_warpgroup_reason(args.device->device());
        if (mode == tensor_mode::native && !reason.empty())
            refuse(reason);
        // Emulated tiles are small, because they are slow.
        const std::vector<warpgroup_tile> tiles =
            mode == tensor_mode::native
                ? std::vector<warpgroup_tile>{ { 2, 256, 4, 1, false },
                                               { 2, 128, 6, 1, false },
                                               { 2, 64, 8, 1, false } }
                : std::vector<warpgroup_tile>{ { 1, 64, 1, 1, false } };
        for (const auto& tile : tiles) {
            check_tile(tile, d_device->limits(), mode);
            const auto program = d_device->build("gemm_warpgroup",
                                                 tile.options(type_of_bits, 0, mode),
                                                 warpgroup_architecture(mode));
            if (!d_pack())
                d_pack = cl::Kernel(program, "pack_rows");
            d_choices.push_back({ tile, cl::Kernel(program, "gemm") });
            if (!is_right(d_choices.back()))
                refuse("the matrix units of device '" + d_device->name() +
                       "' give wrong products");
        }
    }

protected:
    std::size_t panel_codes() const override { return warpgroup_blocks::rows_each; }
    std::size_t code_bytes() const override
    {
        return blocks(panel_codes()).bytes() / panel_codes() + sizeof(cl_uint);
    }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        const auto packed = blocks(panels * panel_codes());
        auto* words = reinterpret_cast<cl_uint*>(to);
        auto* counts = words + packed.bytes() / sizeof(cl_uint);
        std::fill_n(to, panels * panel_codes() * code_bytes(), std::uint8_t(0));
        const std::size_t last = std::min(codes.count, first + panels * panel_codes());
        for (std::size_t code = first; code < last; code++)
            for (std::size_t i = 0; i < packed.words; i++) {
                const auto value = codes.word<cl_uint>(code, i);
                words[packed.index(code - first, i)] = value;
                counts[code - first] += ones(value);
            }
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        // Short items grow when they are packed, so that a call may take several pieces.
        const std::size_t most = max_table_bytes(d_device->limits()) / code_bytes() /
                                 panel_codes() * panel_codes();
        for (std::size_t first = 0; first < call.count; first += most) {
            const std::size_t count = std::min(most, call.count - first);
            pack_rows(call.items.buffer,
                      call.items.offset + first * item_bytes(),
                      count,
                      item_bytes(),
                      d_packed,
                      events);
            multiply(
                best_choice(
                    d_choices, count, codes.count, d_device->limits().compute_units),
                { d_packed.buffer(), count },
                { codes.table.buffer(), codes.count },
                item_bytes(),
                { call.out.buffer,
                  call.out.offset / sizeof(cl_int) + codes.first + first * call.out_step,
                  call.out_step },
                events);
        }
    }

private:
    struct choice {
        warpgroup_tile tile;
        cl::Kernel multiply;
    };
    struct packed_rows {
        const cl::Buffer& buffer;
        std::size_t count;
    };
    //! The place of a product, in values of 32 bits.
    struct product_place {
        const cl::Buffer& buffer;
        std::size_t offset, leading;
    };

    [[noreturn]] static void refuse(const std::string& why)
    {
        throw_invalid("variant", "'warpgroup'", "another one: " + why);
    }

    //! The form of some rows of this many bytes each.
    static warpgroup_blocks blocks(std::size_t rows, std::size_t row_bytes)
    {
        return { rows, divide_up(row_bytes, sizeof(cl_uint)), 1 };
    }
    warpgroup_blocks blocks(std::size_t rows) const { return blocks(rows, item_bytes()); }

    void pack_rows(const cl::Buffer& from,
                   std::size_t offset,
                   std::size_t count,
                   std::size_t row_bytes,
                   device_buffer& to,
                   std::vector<cl::Event>& events)
    {
        const auto packed = blocks(count, row_bytes);
        const std::size_t rows = packed.blocks() * warpgroup_blocks::rows_each;
        to.reserve(packed.bytes() + rows * sizeof(cl_uint));
        set_args(d_pack,
                 from,
                 word(offset),
                 word(row_bytes),
                 word(count),
                 word(row_bytes),
                 word(packed.steps()),
                 to.buffer());
        run(d_pack,
            cl::NDRange(rows / warpgroup_pack_rows * warpgroup_pack_items),
            cl::NDRange(warpgroup_pack_items),
            events);
    }

    void multiply(choice& with,
                  const packed_rows& a,
                  const packed_rows& b,
                  std::size_t row_bytes,
                  const product_place& to,
                  std::vector<cl::Event>& events)
    {
        const cl_float2 unused{};
        set_args(with.multiply,
                 word(a.count),
                 word(b.count),
                 word(blocks(a.count, row_bytes).steps()),
                 unused,
                 a.buffer,
                 b.buffer,
                 unused,
                 to.buffer,
                 word(to.offset),
                 word(to.leading),
                 word(8 * row_bytes));
        run(with.multiply,
            cl::NDRange(with.tile.count(a.count, b.count) * with.tile.items()),
            cl::NDRange(with.tile.items()),
            events);
    }

    /*!
     * Whether a kernel multiplies random bits right. A driver that translates the
     * kernel's PTX in another way than the ones that are known could give wrong products.
     * \throws opencl_error
     */
    bool is_right(choice& with)
    {
        // Every stage of local memory is used more than once, and all ends within a
        // block.
        const std::size_t steps =
            d_mode == tensor_mode::native ? 2 * with.tile.stages : 1;
        const std::size_t words = steps * warpgroup_blocks::words_each + 3;
        const std::size_t m = with.tile.rows() + 9, n = with.tile.columns + 9;
        std::minstd_rand random(1);
        std::vector<cl_uint> bits((m + n) * words);
        for (auto& each : bits)
            each = static_cast<cl_uint>(random() << 1 ^ random() >> 15);
        const page_memory c(m * n * sizeof(cl_int));
        device_buffer packed_a(d_device), packed_b(d_device);
        with_opencl_errors(*d_device, [&] {
            const held_memory<cl::Buffer> from(
                *d_device,
                cl::Buffer(d_device->cl_context(),
                           CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                           bits.size() * sizeof(cl_uint),
                           bits.data()));
            const held_memory<cl::Buffer> out(
                *d_device,
                cl::Buffer(d_device->cl_context(), CL_MEM_WRITE_ONLY, c.region().bytes));
            const std::size_t row_bytes = words * sizeof(cl_uint);
            std::vector<cl::Event> events;
            pack_rows(from.get(), 0, m, row_bytes, packed_a, events);
            pack_rows(from.get(), m * row_bytes, n, row_bytes, packed_b, events);
            multiply(with,
                     { packed_a.buffer(), m },
                     { packed_b.buffer(), n },
                     row_bytes,
                     { out.get(), 0, n },
                     events);
            read_into(*d_device, d_queue, out.get(), c);
        });
        for (std::size_t i = 0; i < m; i++)
            for (std::size_t j = 0; j < n; j++) {
                cl_uint different = 0;
                for (std::size_t k = 0; k < words; k++)
                    different += ones(bits[i * words + k] ^ bits[(m + j) * words + k]);
                if (c.as<cl_int>()[i * n + j] !=
                    static_cast<cl_int>(32 * words) - 2 * static_cast<cl_int>(different))
                    return false;
            }
        return true;
    }

    device_buffer d_packed;
    const tensor_mode d_mode;
    cl::Kernel d_pack;
    std::vector<choice> d_choices;
};

} // namespace

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_warpgroup(const gemm_1bit_kernel_args& args, tensor_mode mode)
{
    return std::make_unique<gemm_1bit_kernel_warpgroup>(args, mode);
}

const gemm_1bit_variant& gemm_1bit_warpgroup_variant()
{
    static const auto& variant = *new gemm_1bit_variant(
        { "warpgroup",
          "as tensor for NVIDIA's Hopper GPUs: the units read packed blocks themselves",
          "production",
          {},
          warpgroup_capability,
          warpgroup_capability },
        [](const auto& args) {
            return make_gemm_1bit_kernel_warpgroup(args, tensor_mode::native);
        },
        has_warpgroup_units);
    return variant;
}

} // namespace cldsp
