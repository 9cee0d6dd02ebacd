// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The correlator's sums on a device, by its kernels for CPUs, GPUs and matrix units.

#include "base/arithmetic.h"
#include "base/page_memory.h"
#include "base/thread_pool.h"
#include "correlator/correlator_problem.h"
#include "correlator/host_correlator.h"
#include "opencl/commands.h"
#include "opencl/kernel_groups.h"
#include "opencl/kernel_pace.h"
#include "opencl/queue_window.h"
#include "opencl/transfer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The most bytes of samples, and of sums, in a call of most kernels. A single piece may
// have more.
constexpr std::size_t max_call_bytes = std::size_t(32) << 20;
// The most samples of a piece on a GPU. If there are many antennas, the sums of such a
// piece take about as long to reach the host as to compute. The kernel's 32-bit integers
// cannot overflow up to 65535 samples.
constexpr std::size_t max_gpu_piece = 8192;
// The length of a piece is a multiple of this number, and of every DEPTH of the kernel.
constexpr std::size_t piece_step = correlator_block;
// Parts in which the host's threads add the sums of a call.
constexpr std::size_t sums_per_part = 4096;

//! Sets the arguments of the kernels that take the samples as the host writes them.
//! \param kernel the kernel
//! \param pieces the pieces of the call
//! \param unit the bytes in which offsets are counted
//! \param length the length of a piece in the kernel's unit
//! \param tiles what is computed
cl::Kernel& with_arguments(cl::Kernel& kernel,
                           const device_pieces& pieces,
                           std::size_t unit,
                           std::size_t length,
                           const correlator_tiles& tiles)
{
    set_args(kernel,
             pieces.in.buffer,
             word(pieces.in.offset / unit),
             word(pieces.stride / unit),
             word(pieces.antennas),
             word(length),
             word(tiles.first_tile),
             word(tiles.first_piece),
             pieces.out.buffer,
             word(pieces.out.offset / (2 * sizeof(float))));
    return kernel;
}

std::string whole_option(sample_type type)
{
    return type == sample_type::cs8 ? " -DWHOLE=1" : "";
}

class correlator_kernel_cpu final : public correlator_kernel
{
public:
    correlator_kernel_cpu(const context& device, sample_type type, std::size_t antennas)
        : d_type(type),
          d_antennas(antennas),
          d_kernel(device.build("correlator_cpu",
                                "-DWIDTH=" + std::to_string(width_for(device.limits())) +
                                    whole_option(type)),
                   "correlator")
    {
    }

    std::size_t max_piece() const override { return host_correlator_piece; }
    std::size_t max_bytes() const override { return max_call_bytes; }
    std::size_t length_step() const override { return correlator_block; }
    std::size_t sample_bytes() const override { return 2 * sizeof(float); }
    std::size_t tile() const override { return 2; }
    cl::NDRange group() const override { return cl::NDRange(1, 1); }
    cl::Kernel& kernel(const device_pieces& pieces,
                       const correlator_tiles& tiles) override
    {
        return with_arguments(
            d_kernel, pieces, sizeof(float), pieces.length / correlator_block, tiles);
    }
    void pack(const correlator_batch& batch,
              std::size_t length,
              std::size_t stride,
              thread_pool& pool,
              void* to) const override
    {
        const auto& kernels = *available_host_correlator_kernels().front();
        pack_samples(d_type == sample_type::cs8 ? kernels.pack_cs8 : kernels.pack_fc32,
                     d_type,
                     d_antennas,
                     batch,
                     { 2 * length, stride / sizeof(float) },
                     pool,
                     correlator_threads(pool, d_antennas, batch),
                     static_cast<float*>(to));
    }

private:
    static std::size_t width_for(const device_limits& limits)
    {
        return power_of_two_up_to(
            std::clamp<std::size_t>(limits.native_vector_width_float, 4, 16));
    }

    sample_type d_type;
    std::size_t d_antennas;
    cl::Kernel d_kernel;
};

//! Copies the samples of an antenna, each as a word of type \p Word.
template <class Word>
void copy_samples(const unsigned char* from,
                  const correlator_batch& batch,
                  std::size_t length,
                  unsigned char* to)
{
    const std::size_t step = batch.in.step * sizeof(Word);
    for (std::size_t row = 0; row < batch.rows; row++) {
        for (std::size_t t = 0; t < batch.length; t++)
            std::memcpy(to + t * sizeof(Word), from + t * step, sizeof(Word));
        if (batch.length < length)
            std::memset(to + batch.length * sizeof(Word),
                        0,
                        (length - batch.length) * sizeof(Word));
        from += batch.length * step;
        to += length * sizeof(Word);
    }
}

class correlator_kernel_gpu final : public correlator_kernel_of_samples
{
public:
    correlator_kernel_gpu(const context& device, sample_type type, std::size_t antennas)
        : correlator_kernel_of_samples(type, antennas), d_size(device.limits(), antennas)
    {
        with_groups_that_run(device.limits(), [&](const device_limits& limits) {
            const correlator_gpu_tile size(limits, antennas);
            cl::Kernel kernel(
                device.build("correlator_gpu",
                             "-DGROUP=" + std::to_string(size.group) +
                                 " -DEACH=" + std::to_string(correlator_gpu_tile::each) +
                                 " -DDEPTH=" + std::to_string(size.depth) +
                                 whole_option(type)),
                "correlator");
            check_group_size(device, kernel, size.group * size.group, "gpu_tile");
            d_size = size;
            replace(d_kernel, std::move(kernel));
        });
    }

    std::size_t max_piece() const override { return max_gpu_piece; }
    std::size_t max_bytes() const override { return max_call_bytes; }
    std::size_t length_step() const override { return d_size.depth; }
    std::size_t tile() const override { return d_size.group * correlator_gpu_tile::each; }
    cl::NDRange group() const override { return cl::NDRange(d_size.group, d_size.group); }
    cl::Kernel& kernel(const device_pieces& pieces,
                       const correlator_tiles& tiles) override
    {
        return with_arguments(d_kernel, pieces, sample_bytes(), pieces.length, tiles);
    }

private:
    correlator_gpu_tile d_size;
    cl::Kernel d_kernel;
};

//! Work-groups of the kernel for matrix units: the antennas of a tile, and the rows and
//! columns of floats of a warp's part of it.
struct tensor_tile_size {
    std::size_t antennas, warp_rows, warp_columns;

    static constexpr std::size_t stages = 3;

    std::size_t items() const
    {
        return 32 * (antennas / warp_rows) * (2 * antennas / warp_columns);
    }
    std::size_t local_bytes() const
    {
        constexpr std::size_t step_bytes = 64;
        return stages * 2 * antennas * step_bytes + antennas * sizeof(cl_int);
    }
};

/*!
 * The kernel for NVIDIA's matrix units, which multiply pairs of bytes: the sums are
 * exact.
 */
class correlator_kernel_tensor final : public correlator_kernel_of_samples
{
public:
    correlator_kernel_tensor(const context& device,
                             sample_type type,
                             std::size_t antennas,
                             tensor_mode mode)
        : correlator_kernel_of_samples(type, antennas),
          // Emulated tiles are small, because they are slow.
          d_size(antennas > 32 && mode == tensor_mode::native
                     ? tensor_tile_size{ 64, 32, 64 }
                     : tensor_tile_size{ 32, 16, 32 })
    {
        if (type != sample_type::cs8)
            throw_invalid("variant",
                          "'tensor'",
                          std::string("another one for samples of ") +
                              sample_type_name(type));
        const auto reason = missing_tensor_reason(device.device());
        if (mode == tensor_mode::native && !reason.empty())
            throw_invalid("variant", "'tensor'", "another one: " + reason);
        const auto& limits = device.limits();
        if (d_size.items() >
                std::min(limits.max_work_group_size, limits.max_work_item_sizes[0]) ||
            d_size.local_bytes() > limits.local_memory)
            throw_invalid("variant",
                          "'tensor'",
                          "another one: it needs " + std::to_string(d_size.items()) +
                              " work-items and " + std::to_string(d_size.local_bytes()) +
                              " bytes of local memory");
        d_kernel = cl::Kernel(
            device.build(
                "gemm_tensor",
                "-DTYPE=5 -DALIGNED=1 -DGROUP_ROWS=" + std::to_string(d_size.antennas) +
                    " -DGROUP_COLUMNS=" + std::to_string(2 * d_size.antennas) +
                    " -DWARP_ROWS=" + std::to_string(d_size.warp_rows) +
                    " -DWARP_COLUMNS=" + std::to_string(d_size.warp_columns) +
                    " -DSTAGES=" + std::to_string(tensor_tile_size::stages) +
                    " -DEMULATE=" +
                    std::to_string(mode == tensor_mode::emulated ? 1 : 0)),
            "correlator");
    }

    std::size_t max_piece() const override { return max_piece_of_units; }
    std::size_t max_bytes() const override { return max_bytes_of_units; }
    std::size_t length_step() const override { return 8; } // rows of 16 bytes
    std::size_t tile() const override { return d_size.antennas; }
    cl::NDRange group() const override { return cl::NDRange(d_size.items(), 1); }
    cl::Kernel& kernel(const device_pieces& pieces,
                       const correlator_tiles& tiles) override
    {
        return with_arguments(d_kernel, pieces, sample_bytes(), pieces.length, tiles);
    }

private:
    tensor_tile_size d_size;
    cl::Kernel d_kernel;
};

/*!
 * Computes the sums of the pieces of a call with a kernel. The host converts the samples
 * before, and adds the sums of the pieces afterwards.
 */
class opencl_correlator final : public correlator_executor
{
public:
    opencl_correlator(std::shared_ptr<context> device,
                      const correlator_variant& variant,
                      const std::string& transfer,
                      sample_type type,
                      std::size_t antennas,
                      tensor_mode mode);
    //! Keeps the memory of the calls if the device is lost, because a late command may
    //! still access it.
    ~opencl_correlator() override
    {
        if (!device_is_lost())
            return;
        d_samples.keep();
        d_results.keep();
    }

    void add(const correlator_batch& batch, std::complex<double>* sums) override;
    std::size_t piece() const override { return d_piece; }
    std::size_t max_rows(std::size_t length) const override;
    bool device_is_lost() const override { return d_device->is_lost_after(d_queue); }

private:
    template <class Action>
    void checked(double multiply_adds, const Action& action) const
    {
        run_commands(*d_device, d_queue, multiply_adds, action);
    }
    std::size_t padded(std::size_t length) const
    {
        return round_up(length, d_kernel->length_step());
    }
    //! The bytes of a sample of each antenna on the device.
    std::size_t moment_bytes() const
    {
        return round_up(d_antennas, d_kernel->antenna_step()) * d_kernel->sample_bytes();
    }
    std::size_t result_bytes() const
    {
        return visibilities_of(d_antennas) * 2 * sizeof(float);
    }
    void choose_piece();
    void reserve(std::size_t sample_bytes, std::size_t result_bytes);
    std::vector<cl::Event> enqueue(const device_pieces& pieces);
    template <class Number>
    void add_results(const correlator_batch& batch,
                     std::size_t pieces,
                     std::complex<double>* sums);

    std::shared_ptr<context> d_device;
    device_queue d_queue;
    const sample_type d_type;
    const std::size_t d_antennas;
    std::size_t d_room = 0, d_piece = 0;
    std::unique_ptr<correlator_kernel> d_kernel;
    std::unique_ptr<device_transfer> d_transfer;
    page_memory d_samples, d_results; // in the kernel's form
    thread_pool d_pool;
    kernel_pace d_pace; // counts the samples of tiles
};

opencl_correlator::opencl_correlator(std::shared_ptr<context> device,
                                     const correlator_variant& variant,
                                     const std::string& transfer,
                                     sample_type type,
                                     std::size_t antennas,
                                     tensor_mode mode)
    : correlator_executor({ device->name(), variant.name, transfer }),
      d_device(std::move(device)),
      d_queue(d_device->make_queue()),
      d_type(type),
      d_antennas(antennas),
      d_samples(1),
      d_results(1),
      d_pool(0),
      // The size of the first kernel: a few milliseconds on the slowest GPUs.
      d_pace(d_device->longest_kernel(), std::size_t(1) << 15)
{
    const auto& limits = d_device->limits();
    // Wrapped host memory begins at the alignment boundary before the data, and that
    // takes room in the buffer.
    d_room = std::min(limits.max_buffer - limits.base_address_alignment,
                      max_elements_per_call * sizeof(float));
    checked(0, [&] {
        d_kernel = variant.make_kernel({ d_device, d_queue, type, antennas, mode });
        d_transfer = make_device_transfer(transfer, d_device, d_queue);
    });
    choose_piece();
}

void opencl_correlator::choose_piece()
{
    const std::size_t fitting = std::min(d_room, d_kernel->max_bytes()) / moment_bytes();
    const std::size_t step = std::max(piece_step, d_kernel->length_step());
    d_piece = std::min(d_kernel->max_piece(), fitting - fitting % step);
    if (d_piece == 0 || result_bytes() > d_room)
        throw_invalid(
            "antennas",
            std::to_string(d_antennas),
            "so few that " + std::to_string(step) +
                " samples of each, and their visibilities, fit into buffers of " +
                std::to_string(d_room) + " bytes on device '" + d_device->name() + "'");
}

std::size_t opencl_correlator::max_rows(std::size_t length) const
{
    const std::size_t bytes = padded(length) * moment_bytes();
    const std::size_t room = std::min(d_room, d_kernel->max_bytes());
    return std::max<std::size_t>(1, std::min(room / bytes, room / result_bytes()));
}

void opencl_correlator::reserve(std::size_t sample_bytes, std::size_t result_bytes)
{
    if (sample_bytes <= d_samples.region().bytes &&
        result_bytes <= d_results.region().bytes)
        return;
    d_transfer->set_stream_memory({}, {});
    if (sample_bytes > d_samples.region().bytes)
        d_samples = page_memory(sample_bytes);
    if (result_bytes > d_results.region().bytes)
        d_results = page_memory(result_bytes);
    d_transfer->set_stream_memory(d_samples.region(), d_results.region());
}

void opencl_correlator::add(const correlator_batch& batch, std::complex<double>* sums)
{
    const bool is_cut = batch.length > d_piece;
    const std::size_t pieces = is_cut ? batch.length / d_piece : batch.rows;
    device_pieces call;
    call.antennas = d_antennas;
    call.count = pieces;
    call.length = is_cut ? d_piece : padded(batch.length);
    call.stride = pieces * call.length * d_kernel->sample_bytes();
    const double multiply_adds = 4 * static_cast<double>(visibilities_of(d_antennas)) *
                                 static_cast<double>(pieces * call.length);
    time_spans kernels(*d_device);
    checked(multiply_adds, [&] {
        reserve(d_antennas * call.stride, pieces * result_bytes());
        auto* const samples = d_samples.as<unsigned char>();
        d_kernel->pack(
            batch, is_cut ? batch.length : call.length, call.stride, d_pool, samples);
        call.in = d_transfer->input(samples, d_antennas * call.stride);
        call.out = d_transfer->output(d_results.as<void>(), pieces * result_bytes());
        const auto events = enqueue(call);
        d_transfer->start_result();
        d_transfer->finish(events.back());
        for (const auto& event : events)
            kernels.add(event);
    });
    // The sums change only after all commands have succeeded.
    if (d_type == sample_type::cs8)
        add_results<std::int32_t>(batch, pieces, sums);
    else
        add_results<float>(batch, pieces, sums);
    d_sums.add_call(batch.rows * batch.length * visibilities_of(d_antennas));
    d_sums.add_times(kernels.seconds(), d_transfer->time());
}

//! Enqueues the kernels of a call: some pieces, or some tiles of a piece, at a time.
std::vector<cl::Event> opencl_correlator::enqueue(const device_pieces& pieces)
{
    const std::size_t across = divide_up(d_antennas, d_kernel->tile());
    const std::size_t tiles = across * (across + 1) / 2;
    const std::size_t paced =
        d_pace.units(tiles * pieces.count * pieces.length) / pieces.length;
    const std::size_t pieces_each =
        std::clamp<std::size_t>(paced / tiles, 1, pieces.count);
    const std::size_t tiles_each =
        pieces_each > 1 ? tiles : std::clamp<std::size_t>(paced, 1, tiles);

    std::vector<cl::Event> events;
    d_kernel->prepare(pieces, events);
    for (std::size_t piece = 0; piece < pieces.count; piece += pieces_each)
        for (std::size_t tile = 0; tile < tiles; tile += tiles_each) {
            const correlator_tiles some = { tile,
                                            std::min(tiles_each, tiles - tile),
                                            piece,
                                            std::min(pieces_each, pieces.count - piece) };
            events.push_back(enqueue_kernel(*d_device,
                                            d_queue,
                                            d_kernel->kernel(pieces, some),
                                            d_kernel->items(pieces, some),
                                            d_kernel->group()));
            if (d_device->longest_kernel() > 0) {
                d_queue.flush();
                d_device->wait(events.back());
                d_pace.ran(some.tiles * some.pieces * pieces.length,
                           event_seconds(*d_device, events.back()));
            }
        }
    return events;
}

//! Adds the sums of the pieces in their order. Threads share the visibilities.
template <class Number>
void opencl_correlator::add_results(const correlator_batch& batch,
                                    std::size_t pieces,
                                    std::complex<double>* sums)
{
    const std::size_t triangle = visibilities_of(d_antennas);
    const auto* const results = d_results.as<Number>();
    const std::size_t parts = divide_up(triangle, sums_per_part);
    d_pool.share(parts, parts > 1 ? d_pool.threads() : 1, [&](std::size_t i, unsigned) {
        const std::size_t first = i * sums_per_part;
        const std::size_t end = std::min(first + sums_per_part, triangle);
        for (std::size_t piece = 0; piece < pieces; piece++) {
            auto* const to = sums + (batch.rows > 1 ? piece * triangle : 0);
            const auto* const from = results + 2 * piece * triangle;
            for (std::size_t v = first; v < end; v++)
                to[v] += std::complex<double>(from[2 * v], from[2 * v + 1]);
        }
    });
}

} // namespace

cl::NDRange correlator_kernel::items(const device_pieces&,
                                     const correlator_tiles& tiles) const
{
    const auto of_group = group();
    return cl::NDRange(tiles.tiles * of_group.get()[0], tiles.pieces * of_group.get()[1]);
}

correlator_gpu_tile::correlator_gpu_tile(const device_limits& limits,
                                         std::size_t antennas)
    : group(antennas > 64 ? 16 : 8), depth(16)
{
    while (group > 1 && !fits(limits))
        group /= 2;
    if (!fits(limits))
        depth = 8;
}

std::size_t correlator_gpu_tile::local_bytes() const
{
    return 2 * depth * (group * each + 1) * 2 * sizeof(float);
}

bool correlator_gpu_tile::fits(const device_limits& limits) const
{
    return group * group <= limits.max_work_group_size &&
           group <= limits.max_work_item_sizes[0] &&
           group <= limits.max_work_item_sizes[1] && local_bytes() <= limits.local_memory;
}

std::size_t correlator_kernel_of_samples::sample_bytes() const
{
    return sample_size(d_type);
}

void correlator_kernel_of_samples::pack(const correlator_batch& batch,
                                        std::size_t length,
                                        std::size_t stride,
                                        thread_pool& pool,
                                        void* to) const
{
    pool.share(d_antennas,
               correlator_threads(pool, d_antennas, batch),
               [&](std::size_t a, unsigned) {
                   auto* at = static_cast<unsigned char*>(to) + a * stride;
                   const auto* from =
                       static_cast<const unsigned char*>(batch.in.first[a]);
                   if (d_type == sample_type::cs8)
                       copy_samples<std::uint16_t>(from, batch, length, at);
                   else
                       copy_samples<std::uint64_t>(from, batch, length, at);
               });
}

const correlator_variant& correlator_cpu_tile_variant()
{
    static const auto& variant = *new correlator_variant(
        "cpu_tile",
        [](const correlator_kernel_args& its) -> std::unique_ptr<correlator_kernel> {
            return std::make_unique<correlator_kernel_cpu>(
                *its.device, its.type, its.antennas);
        },
        suits_cpu);
    return variant;
}

const correlator_variant& correlator_gpu_tile_variant()
{
    static const auto& variant = *new correlator_variant(
        "gpu_tile",
        [](const correlator_kernel_args& its) -> std::unique_ptr<correlator_kernel> {
            return std::make_unique<correlator_kernel_gpu>(
                *its.device, its.type, its.antennas);
        },
        suits_gpu);
    return variant;
}

const correlator_variant& correlator_tensor_variant()
{
    // On an H200 it was faster than gpu_tile by more than this factor.
    constexpr double per_flop = 8;
    static const auto& variant = *new correlator_variant(
        "tensor",
        [](const correlator_kernel_args& its) -> std::unique_ptr<correlator_kernel> {
            return std::make_unique<correlator_kernel_tensor>(
                *its.device, its.type, its.antennas, its.mode);
        },
        has_tensor_units,
        true,
        per_flop);
    return variant;
}

std::unique_ptr<correlator_executor>
correlator_variant::make(const correlator_problem& problem,
                         const operation_place& place) const
{
    if (host)
        return make_host_correlator(problem.type, problem.antennas);
    return make_on_device<opencl_correlator>(place.opened,
                                             *this,
                                             place.transfer,
                                             problem.type,
                                             problem.antennas,
                                             tensor_mode::native);
}

std::unique_ptr<correlator_executor>
make_opencl_correlator(std::shared_ptr<context> device,
                       const std::string& variant,
                       const std::string& transfer,
                       sample_type type,
                       std::size_t antennas,
                       tensor_mode mode)
{
    for (const auto* one : correlator_problem::variants())
        if (one->name == variant && !one->host)
            return make_on_device<opencl_correlator>(
                device, *one, transfer, type, antennas, mode);
    throw_invalid("variant", "'" + variant + "'", "one that runs through OpenCL");
}

} // namespace cldsp
