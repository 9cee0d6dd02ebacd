// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The correlator's kernel for Hopper's matrix units, with exact sums of bytes.

#include "base/arithmetic.h"
#include "base/page_memory.h"
#include "correlator/correlator_problem.h"
#include "opencl/buffer.h"
#include "opencl/held_memory.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace cldsp {

namespace {

constexpr int type_of_samples = 5; // CS8 of the kernel
constexpr std::size_t bytes_per_sample = 2;
// Samples of a step, of which a block has a row of 128 bytes for each antenna.
constexpr std::size_t samples_per_step =
    warpgroup_blocks::words_each * sizeof(cl_uint) / bytes_per_sample;
constexpr std::size_t rows_per_pack_group = 16, steps_per_sum = 32; // of pack_samples()
constexpr std::size_t chunks_per_row = 8, chunk_bytes = 16;
constexpr std::size_t clear_items = 128, numbers_per_clear_item = 4; // of clear()
// The work of a group before and after its steps, in steps that take about as long:
// the first copies have to arrive, and the sums to be stored. Adding these to others
// takes longer.
constexpr std::size_t steps_to_store = 12, steps_to_add = 30;
constexpr std::size_t max_parts = 16;

/*!
 * The kernel for the matrix units of NVIDIA's Hopper GPUs, which multiply pairs of bytes:
 * the sums are exact. The device packs the samples to blocks. The last tiles, of which
 * there are too few for all compute units, are shared by several work-groups each.
 */
class correlator_kernel_warpgroup final : public correlator_kernel_of_samples
{
public:
    correlator_kernel_warpgroup(const std::shared_ptr<context>& device,
                                const cl::CommandQueue& queue,
                                sample_type type,
                                std::size_t antennas,
                                tensor_mode mode)
        : correlator_kernel_of_samples(type, antennas),
          d_device(device),
          d_queue(queue),
          d_packed(device),
          d_sums(device),
          // Emulated tiles are small, because they are slow.
          d_tile(mode == tensor_mode::emulated ? warpgroup_tile{ 1, 64, 1, 1, false }
                 : antennas > 64               ? warpgroup_tile{ 2, 128, 6, 1, false }
                                               : warpgroup_tile{ 1, 64, 6, 1, false })
    {
        if (type != sample_type::cs8)
            refuse(std::string(" for samples of ") + sample_type_name(type));
        const auto reason = missing_warpgroup_reason(device->device());
        if (mode == tensor_mode::native && !reason.empty())
            refuse(": " + reason);
        check_tile(d_tile, device->limits(), mode);
        const auto program = device->build("gemm_warpgroup",
                                           d_tile.options(type_of_samples, 0, mode),
                                           warpgroup_architecture(mode));
        d_pack = cl::Kernel(program, "pack_samples");
        d_clear = cl::Kernel(program, "clear");
        d_multiply = cl::Kernel(program, "correlator");
        check();
    }

    std::size_t max_piece() const override { return max_piece_of_units; }
    std::size_t max_bytes() const override { return max_bytes_of_units; }
    std::size_t length_step() const override { return samples_per_step; }
    std::size_t antenna_step() const override { return warpgroup_blocks::rows_each; }
    std::size_t tile() const override { return d_tile.rows(); }
    cl::NDRange group() const override { return cl::NDRange(work_items(), 1, 1); }
    cl::NDRange items(const device_pieces& pieces,
                      const correlator_tiles& tiles) const override
    {
        const auto split = split_of(pieces, tiles);
        const std::size_t all = tiles.tiles * tiles.pieces;
        return cl::NDRange(
            (split.whole + (all - split.whole) * split.parts) * work_items(), 1, 1);
    }

    void prepare(const device_pieces& pieces, std::vector<cl::Event>& events) override
    {
        prepare(pieces, best_split(all_tiles(pieces), steps(pieces)), events);
    }

    cl::Kernel& kernel(const device_pieces& pieces,
                       const correlator_tiles& tiles) override
    {
        const auto split = split_of(pieces, tiles);
        set_args(d_multiply,
                 d_packed.buffer(),
                 word(pieces.antennas),
                 word(steps(pieces)),
                 word(steps(pieces) * pieces.count),
                 word(tiles.tiles),
                 word(tiles.first_tile),
                 word(tiles.first_piece),
                 word(split.whole),
                 word(split.parts),
                 d_sums.buffer(),
                 pieces.out.buffer,
                 word(pieces.out.offset / (2 * sizeof(cl_int))));
        return d_multiply;
    }

private:
    //! How tiles are computed: the first ones by a work-group each, the others by
    //! several.
    struct tile_split {
        std::size_t whole, parts;
    };

    [[noreturn]] static void refuse(const std::string& why)
    {
        throw_invalid("variant", "'warpgroup'", "another one" + why);
    }

    //! The first warp of a group has the copies made.
    std::size_t work_items() const { return 128 * d_tile.groups; }
    static std::size_t steps(const device_pieces& pieces)
    {
        return pieces.length / samples_per_step;
    }

    std::size_t tiles_per_piece(const device_pieces& pieces) const
    {
        const std::size_t down = divide_up(pieces.antennas, tile());
        return down * (down + 1) / 2;
    }
    std::size_t all_tiles(const device_pieces& pieces) const
    {
        return tiles_per_piece(pieces) * pieces.count;
    }

    //! The split with which the compute units have the least work after all have computed
    //! as many whole tiles.
    tile_split best_split(std::size_t tiles, std::size_t steps) const
    {
        const std::size_t units =
            std::max<std::size_t>(1, d_device->limits().compute_units);
        const std::size_t last = tiles % units;
        tile_split best = { tiles, 1 };
        std::size_t least = steps + steps_to_store;
        for (std::size_t parts = 2; parts <= std::min(max_parts, steps); parts++) {
            const std::size_t work =
                divide_up(last * parts, units) * (divide_up(steps, parts) + steps_to_add);
            if (last > 0 && work < least) {
                least = work;
                best = { tiles - last, parts };
            }
        }
        return best;
    }

    //! The present call's split if these are all its tiles; otherwise none is shared.
    tile_split split_of(const device_pieces& pieces, const correlator_tiles& tiles) const
    {
        const std::size_t some = tiles.tiles * tiles.pieces;
        return some == all_tiles(pieces) ? d_split : tile_split{ some, 1 };
    }

    //! Packs the samples, and clears the pieces that have tiles whose sums are added.
    void prepare(const device_pieces& pieces,
                 const tile_split& split,
                 std::vector<cl::Event>& events)
    {
        d_split = split;
        const warpgroup_blocks blocks = { pieces.antennas,
                                          steps(pieces) * pieces.count *
                                              warpgroup_blocks::words_each,
                                          1 };
        const std::size_t sums = divide_up(steps(pieces), steps_per_sum);
        d_packed.reserve(blocks.bytes());
        d_sums.reserve(pieces.count * sums * pieces.antennas * sizeof(cl_int));
        set_args(d_pack,
                 pieces.in.buffer,
                 word(pieces.in.offset / chunk_bytes),
                 word(pieces.stride / chunk_bytes),
                 word(pieces.antennas),
                 word(steps(pieces)),
                 d_packed.buffer(),
                 d_sums.buffer());
        events.push_back(enqueue_kernel(
            *d_device,
            d_queue,
            d_pack,
            cl::NDRange(blocks.blocks() * warpgroup_blocks::rows_each * chunks_per_row,
                        sums,
                        pieces.count),
            cl::NDRange(rows_per_pack_group * chunks_per_row, 1, 1)));
        if (split.whole == all_tiles(pieces))
            return;
        const std::size_t first_piece = split.whole / tiles_per_piece(pieces);
        const std::size_t numbers_per_piece = 2 * visibilities_of(pieces.antennas);
        const std::size_t numbers = (pieces.count - first_piece) * numbers_per_piece;
        set_args(
            d_clear,
            pieces.out.buffer,
            word(pieces.out.offset / sizeof(cl_int) + first_piece * numbers_per_piece),
            word(numbers));
        events.push_back(
            enqueue_kernel(*d_device,
                           d_queue,
                           d_clear,
                           cl::NDRange(round_up(
                               divide_up(numbers, numbers_per_clear_item), clear_items)),
                           cl::NDRange(clear_items)));
    }

    //! Computes sums of random samples by one and by several work-groups for each tile. A
    //! driver that translates the kernel's PTX in another way than the ones that
    //! are known could give wrong ones.
    void check()
    {
        device_pieces pieces;
        pieces.antennas = tile() + 9;
        pieces.count = 2;
        // Every stage of local memory is used more than once.
        pieces.length = (2 * d_tile.stages + 1) * samples_per_step;
        const std::size_t samples = pieces.count * pieces.length;
        pieces.stride = samples * bytes_per_sample;
        const page_memory in(pieces.antennas * pieces.stride);
        std::minstd_rand random(1);
        for (std::size_t i = 0; i < in.region().bytes; i++)
            in.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(random() >> 8);
        const std::size_t triangle = visibilities_of(pieces.antennas);
        const page_memory out(pieces.count * triangle * 2 * sizeof(cl_int));
        // Tiles of the second piece are shared, or none.
        for (const auto& split : { tile_split{ 6, 1 }, tile_split{ 4, 3 } }) {
            std::fill_n(out.as<std::uint8_t>(), out.region().bytes, std::uint8_t(0x5a));
            with_opencl_errors(*d_device, [&] {
                const auto buffer_of = [&](const page_memory& memory) {
                    return cl::Buffer(d_device->cl_context(),
                                      CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      memory.region().bytes,
                                      memory.as<void>());
                };
                const held_memory<cl::Buffer> from(*d_device, buffer_of(in));
                const held_memory<cl::Buffer> to(*d_device, buffer_of(out));
                pieces.in = { from.get(), 0 };
                pieces.out = { to.get(), 0 };
                std::vector<cl::Event> events;
                prepare(pieces, split, events);
                const correlator_tiles all = { 0, 3, 0, 2 };
                enqueue_kernel(
                    *d_device, d_queue, kernel(pieces, all), items(pieces, all), group());
                read_into(*d_device, d_queue, to.get(), out);
            });
            if (!is_right(pieces, in.as<std::int8_t>(), out.as<cl_int>()))
                refuse(": the matrix units of device '" + d_device->name() +
                       "' give wrong sums");
        }
    }

    static bool
    is_right(const device_pieces& pieces, const std::int8_t* in, const cl_int* out)
    {
        for (std::size_t piece = 0; piece < pieces.count; piece++)
            for (std::size_t i = 0; i < pieces.antennas; i++)
                for (std::size_t j = 0; j <= i; j++, out += 2) {
                    const auto* x =
                        in + i * pieces.stride + piece * pieces.length * bytes_per_sample;
                    const auto* y =
                        in + j * pieces.stride + piece * pieces.length * bytes_per_sample;
                    int re = 0, im = 0;
                    for (std::size_t t = 0; t < 2 * pieces.length; t += 2) {
                        re += x[t] * y[t] + x[t + 1] * y[t + 1];
                        im += x[t + 1] * y[t] - x[t] * y[t + 1];
                    }
                    if (out[0] != re || out[1] != im)
                        return false;
                }
        return true;
    }

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    device_buffer d_packed, d_sums;
    const warpgroup_tile d_tile;
    tile_split d_split = { 0, 1 }; // of the present call
    cl::Kernel d_pack, d_clear, d_multiply;
};

} // namespace

const correlator_variant& correlator_warpgroup_variant()
{
    // On an H200 it was faster than gpu_tile by more than this factor.
    constexpr double per_flop = 16;
    static const auto& variant = *new correlator_variant(
        "warpgroup",
        [](const correlator_kernel_args& its) -> std::unique_ptr<correlator_kernel> {
            // It proves that it works on the device.
            return std::make_unique<correlator_kernel_warpgroup>(
                its.device, its.queue, its.type, its.antennas, its.mode);
        },
        has_warpgroup_units,
        true,
        per_flop);
    return variant;
}

} // namespace cldsp
