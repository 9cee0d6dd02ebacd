// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// 1-bit products on a device: its kernels, and calls in overlapping pieces.

#include "gemm_1bit/opencl_gemm_1bit.h"

#include "base/arithmetic.h"
#include "base/page_memory.h"
#include "gemm_1bit/gemm_1bit_problem.h"
#include "opencl/buffer.h"
#include "opencl/commands.h"
#include "opencl/kernel_groups.h"
#include "opencl/piece_overlap.h"
#include "opencl/pinned_transfer.h"
#include "opencl/queue_window.h"
#include "opencl/transfer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <bitset>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Kernels count the elements of a buffer in 32 bits.
constexpr std::size_t max_bytes = std::size_t(1) << 30;
// Measured on an NVIDIA H200 for 4096 items and codes of 4096 bits: 85 10^12 operations
// per second with 5 pieces, 82 with 6, 71 to 79 with 8, 64 with 10, 78 with 4.
constexpr std::size_t pieces_of_a_call = 5;

class gemm_1bit_kernel_cpu final : public gemm_1bit_kernel
{
public:
    explicit gemm_1bit_kernel_cpu(const gemm_1bit_kernel_args& args)
        : gemm_1bit_kernel("cpu_tile", args.device, args.queue),
          d_table(gemm_1bit_cpu_table(d_device->limits(), args.bits)),
          d_parameters(d_table.chosen(d_device->options(), args.tuned)),
          d_kernel(d_device->build(d_table.family().file, d_table.macros(d_parameters)),
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

    const parameter_table<gemm_1bit_cpu_parameters> d_table;
    const gemm_1bit_cpu_parameters d_parameters;
    cl::Kernel d_kernel;
};

class gemm_1bit_kernel_gpu final : public gemm_1bit_kernel
{
public:
    explicit gemm_1bit_kernel_gpu(const gemm_1bit_kernel_args& args)
        : gemm_1bit_kernel("gpu_tile", args.device, args.queue),
          d_table(gemm_1bit_gpu_table(d_device->limits(), args.bits)),
          d_parameters(d_device->limits())
    {
        with_groups_that_run(d_device->limits(), [&](const device_limits& limits) {
            d_parameters = gemm_1bit_gpu_table(limits, args.bits)
                               .chosen(d_device->options(), args.tuned);
            built(args.bits % 32 == 0); // as nearly all calls need it
        });
    }

protected:
    std::size_t panel_codes() const override { return d_parameters.codes(); }
    std::size_t code_bytes() const override { return words() * sizeof(cl_uint); }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        // All codes form one panel, so that the loads of neighbouring groups follow each
        // other.
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
        cl::Kernel& kernel = built_late(aligned);
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

    //! \throws group_refused
    cl::Kernel& built(bool aligned)
    {
        cl::Kernel& kernel = d_kernels[aligned];
        if (!kernel()) {
            cl::Kernel made(d_device->build(d_table.family().file,
                                            d_table.macros(d_parameters) +
                                                (aligned ? " -DALIGNED" : "")),
                            "gpu_tile");
            check_group_size(*d_device,
                             made,
                             d_parameters.group_codes * d_parameters.group_items,
                             "gpu_tile");
            replace(kernel, std::move(made));
        }
        return kernel;
    }

    //! The same when the codes have been packed for the groups, which cannot change.
    cl::Kernel& built_late(bool aligned)
    {
        try {
            return built(aligned);
        } catch (const group_refused& e) {
            throw opencl_error("clEnqueueNDRangeKernel",
                               CL_INVALID_WORK_GROUP_SIZE,
                               d_device->name(),
                               e.what());
        }
    }

    const parameter_table<gemm_1bit_gpu_parameters> d_table;
    gemm_1bit_gpu_parameters d_parameters;
    cl::Kernel d_kernels[2];
};

/*!
 * The kernel for NVIDIA's matrix units, which multiply by a logical and. Items are copied
 * to rows of whole words before each call; the number of ones is behind every row.
 */
class gemm_1bit_kernel_tensor final : public gemm_1bit_kernel
{
public:
    gemm_1bit_kernel_tensor(const gemm_1bit_kernel_args& args, tensor_mode mode)
        : gemm_1bit_kernel("tensor", args.device, args.queue),
          d_packed(args.device),
          d_mode(mode),
          // A group is 4 warps. Emulated ones are small, because they are slow.
          d_tile(mode == tensor_mode::emulated ? tile{ 64, 64, 32, 2 }
                                               : tile{ 128, 128, 64, 2 })
    {
        const auto reason = missing_tensor_reason(args.device->device());
        if (mode == tensor_mode::native && !reason.empty())
            throw_invalid("variant", "'tensor'", "another one: " + reason);
        const auto& limits = d_device->limits();
        if (d_tile.items() >
            std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]))
            throw_invalid("variant",
                          "'tensor'",
                          "another one: it needs groups of " +
                              std::to_string(d_tile.items()) + " work-items");
        if (d_tile.memory() > limits.local_memory)
            throw_invalid("variant",
                          "'tensor'",
                          "another one: it needs " + std::to_string(d_tile.memory()) +
                              " bytes of local memory");
        const auto program = build(d_tile);
        d_pack = cl::Kernel(program, "pack");
        d_multiply = cl::Kernel(program, "gemm");
        if (!is_right(d_multiply, d_tile))
            throw_invalid("variant",
                          "'tensor'",
                          "another one: the matrix units of device '" + d_device->name() +
                              "' give wrong products");
        if (mode == tensor_mode::native &&
            may_use_large_tiles(limits, large_tile.items()))
            try {
                with_opencl_errors(*d_device, [&] {
                    cl::Kernel large(build(large_tile), "gemm");
                    if (is_right(large, large_tile))
                        replace(d_multiply_large, std::move(large));
                });
            } catch (const opencl_error&) {
                // The other tile serves every size.
            }
    }

protected:
    std::size_t panel_codes() const override { return 1; }
    std::size_t code_bytes() const override { return row_words() * sizeof(cl_uint); }
    void pack(const gemm_1bit_codes& codes,
              std::size_t first,
              std::size_t panels,
              std::uint8_t* to) const override
    {
        auto* row = reinterpret_cast<cl_uint*>(to);
        for (std::size_t code = first; code < first + panels;
             code++, row += row_words()) {
            std::fill_n(row, row_words(), 0);
            for (std::size_t i = 0; i < words(); i++) {
                row[i] = codes.word<cl_uint>(code, i);
                row[words()] += ones(row[i]);
            }
        }
    }
    void enqueue_part(const gemm_1bit_call& call,
                      const part& codes,
                      std::vector<cl::Event>& events) override
    {
        // Short items grow when they are packed, so that a call may take several pieces.
        const std::size_t most = max_table_bytes(d_device->limits()) / code_bytes();
        for (std::size_t first = 0; first < call.count; first += most)
            enqueue_piece(call, first, std::min(most, call.count - first), codes, events);
    }

private:
    static constexpr std::size_t pack_items = 64;

    //! The tile of the correlations of a work-group, and that of its warps.
    struct tile {
        std::size_t rows, columns, warp, stages;

        constexpr std::size_t items() const
        {
            return 32 * (rows / warp) * (columns / warp);
        }
        constexpr std::size_t memory() const
        {
            constexpr std::size_t step_words = 16;
            return stages * (rows + columns) * step_words * sizeof(cl_uint);
        }
        std::size_t groups(std::size_t items, std::size_t codes) const
        {
            return divide_up(items, rows) * divide_up(codes, columns);
        }
    };
    static constexpr tile large_tile = { 128, 256, 64, 4 };

    cl::Program build(const tile& t) const
    {
        return d_device->build(
            "gemm_tensor",
            "-DTYPE=4 -DALIGNED=1 -DSTAGES=" + std::to_string(t.stages) +
                " -DGROUP_ROWS=" + std::to_string(t.rows) + " -DGROUP_COLUMNS=" +
                std::to_string(t.columns) + " -DWARP_ROWS=" + std::to_string(t.warp) +
                " -DWARP_COLUMNS=" + std::to_string(t.warp) +
                " -DPACK_ITEMS=" + std::to_string(pack_items) +
                " -DEMULATE=" + std::to_string(d_mode == tensor_mode::emulated ? 1 : 0));
    }

    void enqueue_piece(const gemm_1bit_call& call,
                       std::size_t first,
                       std::size_t count,
                       const part& codes,
                       std::vector<cl::Event>& events)
    {
        d_packed.reserve(count * code_bytes());
        set_args(d_pack,
                 call.items.buffer,
                 static_cast<cl_uint>(call.items.offset + first * item_bytes()),
                 static_cast<cl_uint>(item_bytes()),
                 d_packed.buffer(),
                 static_cast<cl_uint>(words()),
                 static_cast<cl_uint>(row_words()));
        run(d_pack, cl::NDRange(count * pack_items), cl::NDRange(pack_items), events);
        // Fewer large tiles than compute units would leave some of these idle.
        const bool is_large =
            d_multiply_large() &&
            large_tile.groups(count, codes.count) >= d_device->limits().compute_units;
        const rows a = { d_packed.buffer(), count, words() };
        const rows b = { codes.table.buffer(), codes.count, words() };
        multiply(is_large ? d_multiply_large : d_multiply,
                 is_large ? large_tile : d_tile,
                 a,
                 b,
                 d_bits,
                 { call.out.buffer,
                   call.out.offset / sizeof(cl_int) + codes.first + first * call.out_step,
                   call.out_step },
                 events);
    }

    //! Packed rows of words. The number of ones is behind each row.
    struct rows {
        const cl::Buffer& buffer;
        std::size_t count, words;
    };
    //! The place of a product, in values of 32 bits.
    struct product_place {
        const cl::Buffer& buffer;
        std::size_t offset, leading;
    };

    void multiply(cl::Kernel& kernel,
                  const tile& t,
                  const rows& a,
                  const rows& b,
                  std::size_t bits,
                  const product_place& to,
                  std::vector<cl::Event>& events)
    {
        const cl_float2 unused{};
        set_args(kernel,
                 word(a.count),
                 word(b.count),
                 word(a.words),
                 unused,
                 a.buffer,
                 cl_uint(0),
                 word(row_words(a.words)),
                 b.buffer,
                 cl_uint(0),
                 word(row_words(b.words)),
                 unused,
                 to.buffer,
                 word(to.offset),
                 word(to.leading),
                 word(bits));
        run(kernel,
            cl::NDRange(t.groups(a.count, b.count) * t.items()),
            cl::NDRange(t.items()),
            events);
    }

    /*!
     * Whether a kernel multiplies a tile of random bits right. A driver that translates
     * the kernel's PTX in another way than the ones that are known could give wrong
     * products. \throws opencl_error
     */
    bool is_right(cl::Kernel& kernel, const tile& t)
    {
        constexpr std::size_t words = 52; // four steps, the last one in part
        const std::size_t row = row_words(words), bits = 32 * words;
        std::minstd_rand random(1);
        std::vector<cl_uint> packed((t.rows + t.columns) * row);
        for (std::size_t first = 0; first < packed.size(); first += row)
            for (std::size_t i = 0; i < words; i++) {
                const auto value = static_cast<cl_uint>(random() << 1 ^ random() >> 15);
                packed[first + i] = value;
                packed[first + words] += ones(value);
            }
        const page_memory c(t.rows * t.columns * sizeof(cl_int));
        const cl_uint* const codes = packed.data() + t.rows * row;
        with_opencl_errors(*d_device, [&] {
            const auto buffer_of = [&](const cl_uint* from, std::size_t count) {
                return cl::Buffer(d_device->cl_context(),
                                  CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                  count * row * sizeof(cl_uint),
                                  const_cast<cl_uint*>(from));
            };
            const auto a = buffer_of(packed.data(), t.rows);
            const auto b = buffer_of(codes, t.columns);
            const cl::Buffer out(
                d_device->cl_context(), CL_MEM_WRITE_ONLY, c.region().bytes);
            std::vector<cl::Event> events;
            multiply(kernel,
                     t,
                     { a, t.rows, words },
                     { b, t.columns, words },
                     bits,
                     { out, 0, t.columns },
                     events);
            read_into(*d_device, d_queue, out, c);
        });
        for (std::size_t i = 0; i < t.rows; i++)
            for (std::size_t j = 0; j < t.columns; j++) {
                cl_uint different = 0;
                for (std::size_t k = 0; k < words; k++)
                    different += ones(packed[i * row + k] ^ codes[j * row + k]);
                if (c.as<cl_int>()[i * t.columns + j] !=
                    static_cast<cl_int>(bits) - 2 * static_cast<cl_int>(different))
                    return false;
            }
        return true;
    }

    static cl_uint ones(cl_uint value)
    {
        return static_cast<cl_uint>(std::bitset<32>(value).count());
    }

    //! Words of a row, in chunks of 16 bytes.
    std::size_t words() const { return (item_bytes() + 15) / 16 * 4; }
    //! Words from one row to the next; one of them is the number of ones.
    std::size_t row_words() const { return row_words(words()); }
    static constexpr std::size_t row_words(std::size_t words) { return words + 4; }

    device_buffer d_packed;
    const tensor_mode d_mode;
    const tile d_tile;
    cl::Kernel d_pack, d_multiply;
    cl::Kernel d_multiply_large; // if the device can run it
};

//! A queue, a kernel and a transfer, which compute the correlations of some items.
struct gemm_1bit_pipeline {
    device_queue queue;
    std::unique_ptr<gemm_1bit_kernel> kernel;
    std::unique_ptr<device_transfer> transfer;
    std::vector<cl::Event> kernels; //!< of the last piece
};

/*!
 * Computes correlations. Calls that are too large for the device's buffers are cut.
 *
 * For a device with memory of its own long calls are cut into more pieces, whose copies
 * and kernels overlap: the correlations often take the bus longer than the kernel.
 */
class opencl_gemm_1bit final : public gemm_1bit_executor
{
public:
    opencl_gemm_1bit(std::shared_ptr<context> device,
                     const std::string& variant,
                     const std::string& transfer,
                     const gemm_1bit_codes& codes,
                     const tuning_values& tuned)
        : gemm_1bit_executor({ device->name(), variant, transfer }),
          d_device(std::move(device)),
          d_tuned(tuned),
          d_overlaps(!shares_memory(d_device->device())),
          d_stream(std::make_shared<pinned_stream>(d_device)),
          d_bits(codes.bits)
    {
        checked(0, [&] { pipeline(0); });
        set_codes(codes);
    }

    void set_codes(const gemm_1bit_codes& codes) override
    {
        d_item_bytes = codes.bytes_each();
        d_codes = codes.count;
        const auto& limits = d_device->limits();
        // Wrapped host memory begins at the alignment boundary before the data, and that
        // takes room in the buffer.
        const std::size_t room =
            std::min(limits.max_buffer - limits.base_address_alignment,
                     max_elements_per_call * sizeof(cl_int));
        d_max_items = room / std::max(d_item_bytes, d_codes * sizeof(cl_int));
        if (d_max_items == 0)
            throw_invalid(
                "codes",
                std::to_string(d_codes) + " of " + std::to_string(codes.bits) + " bits",
                "few and short enough for an item and its correlations to fit "
                "into buffers of " +
                    std::to_string(room) + " bytes on device '" + d_device->name() + "'");
        checked(0, [&] { d_pipelines[0]->kernel->set_codes(codes); });
    }

    void
    run(const std::uint8_t* items, std::size_t count, std::int32_t* correlations) override
    {
        const double bytes = static_cast<double>(count) * static_cast<double>(d_codes) *
                             static_cast<double>(d_item_bytes);
        checked(bytes, [&] { run_pieces(items, count, correlations); });
        d_sums.add_call(count * d_codes);
    }

    void set_stream_memory(memory_region items, memory_region correlations) override
    {
        d_items_memory = items;
        d_correlations_memory = correlations;
        checked(0, [&] {
            for (const auto& one : d_pipelines)
                one->transfer->set_stream_memory(items, correlations);
        });
    }
    bool device_is_lost() const override
    {
        return std::any_of(d_pipelines.begin(), d_pipelines.end(), [&](const auto& one) {
            return d_device->is_lost_after(one->queue);
        });
    }

private:
    //! Runs an action with commands in any of the queues.
    template <class Action>
    void checked(double multiply_adds, const Action& action)
    {
        const auto work = d_device->expect(multiply_adds);
        try {
            with_opencl_errors(*d_device, action);
            for (const auto& one : d_pipelines)
                d_device->check_commands(one->queue);
        } catch (...) {
            for (const auto& one : d_pipelines)
                d_device->drain(one->queue);
            throw;
        }
    }

    //! A pipeline, which is made at its first use.
    gemm_1bit_pipeline& pipeline(std::size_t index)
    {
        while (d_pipelines.size() <= index) {
            auto fresh = std::make_unique<gemm_1bit_pipeline>(
                gemm_1bit_pipeline{ d_device->make_queue(), {}, {}, {} });
            fresh->kernel = make_gemm_1bit_kernel(
                variant_name(), { d_device, fresh->queue, d_bits, d_tuned });
            if (!d_pipelines.empty())
                fresh->kernel->share_codes(*d_pipelines[0]->kernel);
            fresh->transfer =
                make_device_transfer(transfer_name(), d_device, fresh->queue, d_stream);
            fresh->transfer->set_stream_memory(d_items_memory, d_correlations_memory);
            d_pipelines.push_back(std::move(fresh));
        }
        return *d_pipelines[index];
    }

    //! The number of items of a piece whose copies overlap the kernels of others.
    std::size_t overlapping_items(std::size_t count) const
    {
        const std::size_t output_bytes = d_codes * sizeof(cl_int);
        const std::size_t least =
            divide_up(min_bytes_per_piece, d_item_bytes + output_bytes);
        const std::size_t most =
            std::max<std::size_t>(1,
                                  std::min(d_max_items / piece_overlap::pipelines,
                                           max_output_bytes_per_piece / output_bytes));
        return std::min(std::max(least, divide_up(count, pieces_of_a_call)), most);
    }

    void
    run_pieces(const std::uint8_t* items, std::size_t count, std::int32_t* correlations)
    {
        time_spans kernels(*d_device); // of different pipelines may run at the same time
        double transfer_time = 0;
        std::size_t next = 0, taken = 0;
        const auto enqueue = [&](gemm_1bit_pipeline& free) {
            gemm_1bit_call call;
            call.count = taken;
            call.out_step = d_codes;
            call.items =
                free.transfer->input(items + next * d_item_bytes, taken * d_item_bytes);
            call.out = free.transfer->output(correlations + next * d_codes,
                                             taken * d_codes * sizeof(cl_int));
            free.kernels.clear();
            free.kernel->enqueue(call, free.kernels);
            free.transfer->start_result();
            free.queue.flush();
            next += taken;
        };
        const auto finish = [&](gemm_1bit_pipeline& busy) {
            busy.transfer->finish(busy.kernels.back());
            for (const auto& kernel : busy.kernels)
                kernels.add(kernel);
            transfer_time += busy.transfer->time();
        };
        std::size_t piece = d_overlaps ? overlapping_items(count) : d_max_items;
        if (piece < count && d_overlaps && d_overlap.has_threads()) {
            pipeline(piece_overlap::pipelines - 1); // makes all of them
            d_overlap.run({ [&] {
                               taken = std::min(piece, count - next);
                               return taken > 0;
                           },
                            [&](std::size_t free) { enqueue(*d_pipelines[free]); },
                            [&](std::size_t busy) { finish(*d_pipelines[busy]); },
                            [](std::size_t) {} });
        } else {
            piece = d_max_items;
            while (next < count) {
                taken = std::min(piece, count - next);
                enqueue(*d_pipelines[0]);
                finish(*d_pipelines[0]);
            }
        }
        d_sums.add_times(kernels.seconds(), transfer_time);
    }

    std::shared_ptr<context> d_device;
    const tuning_values d_tuned;
    const bool d_overlaps;                   //!< whether several pipelines hide transfers
    std::shared_ptr<pinned_stream> d_stream; //!< of all pipelines
    std::size_t d_bits, d_item_bytes = 1, d_codes = 1, d_max_items = 1;
    memory_region d_items_memory, d_correlations_memory;
    std::vector<std::unique_ptr<gemm_1bit_pipeline>> d_pipelines;
    piece_overlap d_overlap;
};

} // namespace

gemm_1bit_kernel::gemm_1bit_kernel(std::string name,
                                   std::shared_ptr<context> device,
                                   cl::CommandQueue queue)
    : d_device(std::move(device)),
      d_queue(std::move(queue)),
      d_name(std::move(name)),
      d_parts(std::make_shared<std::vector<part>>())
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
    d_parts->resize((panels + most - 1) / most);
    std::vector<std::uint8_t> packed;
    for (std::size_t i = 0; i < d_parts->size(); i++) {
        auto& part = (*d_parts)[i];
        part.first = i * most * panel_codes();
        part.panels = std::min(most, panels - i * most);
        part.count = std::min(part.panels * panel_codes(), codes.count - part.first);
        packed.resize(part.panels * panel_bytes);
        pack(codes, part.first, part.panels, packed.data());
        part.table.set(d_device, d_queue, packed.data(), packed.size());
    }
}

void gemm_1bit_kernel::share_codes(const gemm_1bit_kernel& other)
{
    d_bits = other.d_bits;
    d_parts = other.d_parts;
}

void gemm_1bit_kernel::enqueue(const gemm_1bit_call& call, std::vector<cl::Event>& events)
{
    for (const auto& part : *d_parts)
        enqueue_part(call, part, events);
}

void gemm_1bit_kernel::run(const cl::Kernel& kernel,
                           const cl::NDRange& global,
                           const cl::NDRange& group,
                           std::vector<cl::Event>& events)
{
    events.push_back(enqueue_kernel(*d_device, d_queue, kernel, global, group));
}

std::unique_ptr<gemm_1bit_kernel>
make_gemm_1bit_kernel_tensor(const gemm_1bit_kernel_args& args, tensor_mode mode)
{
    return std::make_unique<gemm_1bit_kernel_tensor>(args, mode);
}

const gemm_1bit_variant& gemm_1bit_cpu_tile_variant()
{
    static const auto& variant = *new gemm_1bit_variant(
        { "cpu_tile",
          "for CPU devices: a code in each lane of a vector, counted by carry-save "
          "adders",
          "production",
          {} },
        [](const auto& args) { return std::make_unique<gemm_1bit_kernel_cpu>(args); },
        suits_cpu);
    return variant;
}

const gemm_1bit_variant& gemm_1bit_gpu_tile_variant()
{
    static const auto& variant = *new gemm_1bit_variant(
        { "gpu_tile",
          "for GPUs: items and codes in local memory, a tile of sums in registers",
          "production",
          {} },
        [](const auto& args) { return std::make_unique<gemm_1bit_kernel_gpu>(args); },
        suits_gpu);
    return variant;
}

const gemm_1bit_variant& gemm_1bit_tensor_variant()
{
    static const auto& variant = *new gemm_1bit_variant(
        { "tensor",
          "for the matrix units of NVIDIA GPUs, which multiply by a logical and",
          "production",
          {},
          min_tensor_capability },
        [](const auto& args) {
            return make_gemm_1bit_kernel_tensor(args, tensor_mode::native);
        },
        has_tensor_units);
    return variant;
}

std::unique_ptr<gemm_1bit_executor>
gemm_1bit_variant::make(const gemm_1bit_problem& problem,
                        const operation_place& place) const
{
    if (host)
        return make_host_gemm_1bit(problem.codes);
    return make_opencl_gemm_1bit(
        place.opened, name, place.transfer, problem.codes, place.tuned);
}

std::unique_ptr<gemm_1bit_executor> make_opencl_gemm_1bit(std::shared_ptr<context> device,
                                                          const std::string& variant,
                                                          const std::string& transfer,
                                                          const gemm_1bit_codes& codes,
                                                          const tuning_values& tuned)
{
    return make_on_device<opencl_gemm_1bit>(device, variant, transfer, codes, tuned);
}

} // namespace cldsp
