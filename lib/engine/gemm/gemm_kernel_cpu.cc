// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernel of products for CPU devices, whose blocks stay in a core's cache.

#include "gemm/gemm_kernel_cpu.h"

#include "base/arithmetic.h"
#include "gemm/gemm_commands.h"
#include "gemm/gemm_parameters.h"
#include "gemm/gemm_problem.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace cldsp {

namespace {

// Work-items for each compute unit. If one work-item is held up, there are enough others
// to keep the other units busy.
constexpr std::size_t items_per_unit = 8;
// The fewest tiles for which a block of B is packed once; with fewer, packing costs too
// much.
constexpr std::size_t fewest_tiles = 16;
// A block of B with fewer terms is made wider, so that each memory page that is touched
// gives a longer row.
constexpr std::size_t few_terms = 256;
// The most local memory in bytes that may be used: it has to stay in the core's own
// cache.
constexpr std::size_t max_scratch = 640 * 1024;
// The most products of s8 whose sums are exact in floats.
constexpr std::size_t max_exact_s8_terms = 1024;

void check(const char* name, std::size_t value, std::size_t least, std::size_t most)
{
    if (value < least || value > most)
        throw_invalid(name,
                      std::to_string(value),
                      std::to_string(least) + " to " + std::to_string(most));
}

class gemm_kernel_cpu : public gemm_kernel
{
public:
    gemm_kernel_cpu(const gemm_kernel_args& args, const gemm_cpu_parameters& parameters);
    gemm_events enqueue(const gemm_device_call& call) override;
    void hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b) override;
    gemm_events enqueue_held(const gemm_device_call& call) override;

private:
    //! The kernels for one tile.
    struct program {
        cl::Kernel gemm, pack_b, floats_of_a;
    };
    //! A packed B, and the sizes that it was packed for.
    struct packed_b {
        explicit packed_b(const std::shared_ptr<context>& device) : panels(device) {}
        device_buffer panels;
        std::size_t n = 0, k = 0;
    };

    program& get(const gemm_cpu_parameters& tile, bool packed);
    bool converts_a() const
    {
        return d_args.type == gemm_type::f16 || d_args.type == gemm_type::s8;
    }
    bool leaves_caches(const gemm_shape& shape) const;
    cl::Event
    pack(packed_b& to, std::size_t k, std::size_t n, const gemm_device_matrix& b);
    gemm_device_matrix
    floats(const gemm_shape& shape, const gemm_device_matrix& a, gemm_events& events);
    void multiply(const gemm_device_call& call,
                  const gemm_shape& shape,
                  const packed_b* packed,
                  gemm_events& events);

    gemm_kernel_args d_args;
    gemm_cpu_blocking d_blocking;
    cl_ulong d_cache; // bytes of the device's largest cache
    std::map<std::tuple<std::size_t, std::size_t, bool>, program> d_programs;
    device_buffer d_floats; // A, converted from half precision or s8
    packed_b d_packed;      // B of a call, if the kernel does not pack B itself
    packed_b d_held;
};

gemm_kernel_cpu::gemm_kernel_cpu(const gemm_kernel_args& args,
                                 const gemm_cpu_parameters& parameters)
    : d_args(args),
      d_blocking(args.type, parameters, args.device->limits()),
      d_cache(args.device->cl_device().getInfo<CL_DEVICE_GLOBAL_MEM_CACHE_SIZE>()),
      d_floats(args.device),
      d_packed(args.device),
      d_held(args.device)
{
    get(parameters, !d_blocking.has_scratch(parameters));
    get(parameters, true);
}

//! Whether C is so large that its next reader finds little of it in a cache.
bool gemm_kernel_cpu::leaves_caches(const gemm_shape& shape) const
{
    const double bytes = static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                         static_cast<double>(result_size(d_args.type));
    return bytes > static_cast<double>(d_cache) / 2;
}

gemm_kernel_cpu::program& gemm_kernel_cpu::get(const gemm_cpu_parameters& tile,
                                               bool packed)
{
    auto& kernels = d_programs[{ tile.width, tile.rows, packed }];
    if (!kernels.gemm()) {
        const auto table = gemm_cpu_table(d_args.type, d_args.device->limits());
        const auto built = d_args.device->build(
            table.family().file,
            table.macros(tile) +
                " -DTYPE=" + std::to_string(static_cast<int>(d_args.type)) +
                " -DPACKED=" + std::to_string(packed ? 1 : 0) +
                (d_args.device->device().is_pocl ? " -DUSE_CLANG" : "") +
                (d_blocking.has_scratch(tile) ? "" : " -DSCRATCH_IS_PRIVATE"));
        with_opencl_errors(*d_args.device, [&] {
            replace(kernels.gemm, cl::Kernel(built, "gemm"));
            replace(kernels.pack_b, cl::Kernel(built, "pack_b"));
            if (converts_a())
                replace(kernels.floats_of_a, cl::Kernel(built, "floats_of_a"));
        });
    }
    return kernels;
}

cl::Event gemm_kernel_cpu::pack(packed_b& to,
                                std::size_t k,
                                std::size_t n,
                                const gemm_device_matrix& b)
{
    const auto tile = d_blocking.tile_for({ d_blocking.parameters().rows, n, k });
    const std::size_t floats =
        round_up(n, tile.width) * k * (d_args.type == gemm_type::c32 ? 2 : 1);
    reserve(to.panels, *d_args.device, floats * sizeof(float), "packed B");
    to.n = n;
    to.k = k;
    auto& kernel = get(tile, true).pack_b;
    const std::size_t rows = 64;
    return with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 b.buffer,
                 static_cast<cl_ulong>(b.offset),
                 static_cast<cl_ulong>(b.leading),
                 static_cast<cl_uint>(k),
                 static_cast<cl_uint>(n),
                 static_cast<cl_uint>(rows),
                 to.panels.buffer());
        return enqueue_kernel(
            d_args,
            kernel,
            cl::NDRange(divide_up(k, rows), divide_up(n, tile.vectors * tile.width)),
            cl::NDRange(1, 1));
    });
}

//! Converts the matrix A to floats, which the kernel reads.
gemm_device_matrix gemm_kernel_cpu::floats(const gemm_shape& shape,
                                           const gemm_device_matrix& a,
                                           gemm_events& events)
{
    gemm_device_matrix result;
    result.leading = shape.k;
    result.buffer = reserve(d_floats,
                            *d_args.device,
                            shape.m * shape.k * sizeof(float),
                            "A in single precision");
    auto& kernel = get(d_blocking.parameters(), true).floats_of_a;
    with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 a.buffer,
                 static_cast<cl_ulong>(a.offset),
                 static_cast<cl_ulong>(a.leading),
                 static_cast<cl_uint>(shape.k),
                 result.buffer);
        events.prepare.push_back(
            enqueue_kernel(d_args, kernel, cl::NDRange(shape.m), cl::NDRange(1)));
    });
    return result;
}

//! \param call the matrices
//! \param shape the sizes
//! \param packed the packed B; null: the kernel packs B itself
//! \param events the events of the commands are appended
void gemm_kernel_cpu::multiply(const gemm_device_call& call,
                               const gemm_shape& shape,
                               const packed_b* packed,
                               gemm_events& events)
{
    auto a = call.a;
    auto b = call.b;
    auto terms = shape;
    if (call.alpha == std::complex<float>(0)) {
        // The kernel does not read A and B, but its arguments need some buffer.
        terms.k = 0;
        a = b = call.c;
    } else if (converts_a()) {
        a = floats(shape, a, events);
    }
    const auto tile = d_blocking.tile_for(shape);
    const auto blocks = d_blocking.cut(terms, tile, packed != nullptr);
    auto& kernel = get(tile, packed != nullptr).gemm;
    with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 static_cast<cl_uint>(shape.m),
                 static_cast<cl_uint>(shape.n),
                 static_cast<cl_uint>(terms.k),
                 float_pair(call.alpha),
                 a.buffer,
                 static_cast<cl_ulong>(a.offset),
                 static_cast<cl_ulong>(a.leading),
                 packed && terms.k ? packed->panels.buffer() : b.buffer,
                 static_cast<cl_ulong>(b.offset),
                 static_cast<cl_ulong>(b.leading),
                 float_pair(call.beta),
                 call.c.buffer,
                 static_cast<cl_ulong>(call.c.offset),
                 static_cast<cl_ulong>(call.c.leading),
                 static_cast<cl_uint>(blocks.rows),
                 static_cast<cl_uint>(blocks.columns),
                 static_cast<cl_uint>(blocks.k),
                 static_cast<cl_uint>(leaves_caches(shape) ? 1 : 0));
        cl_uint index = 18;
        if (blocks.sum_floats)
            kernel.setArg(index++, cl::Local(blocks.sum_floats * sizeof(float)));
        if (blocks.sum_floats && !packed)
            kernel.setArg(index,
                          cl::Local(std::max<std::size_t>(blocks.packed_floats, 1) *
                                    sizeof(float)));
        events.multiply.push_back(
            enqueue_kernel(d_args,
                           kernel,
                           cl::NDRange(divide_up(shape.m, blocks.rows),
                                       divide_up(shape.n, blocks.columns)),
                           cl::NDRange(1, 1)));
    });
}

gemm_events gemm_kernel_cpu::enqueue(const gemm_device_call& call)
{
    check_sizes(call.shape);
    gemm_events events;
    const bool packs_itself = d_blocking.has_scratch(d_blocking.tile_for(call.shape));
    if (!packs_itself && call.alpha != std::complex<float>(0))
        events.prepare.push_back(pack(d_packed, call.shape.k, call.shape.n, call.b));
    multiply(call, call.shape, packs_itself ? nullptr : &d_packed, events);
    return events;
}

void gemm_kernel_cpu::hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b)
{
    check_sizes({ 1, n, k });
    pack(d_held, k, n, b);
}

gemm_events gemm_kernel_cpu::enqueue_held(const gemm_device_call& call)
{
    check_held(d_held.k);
    const gemm_shape shape = { call.shape.m, d_held.n, d_held.k };
    check_sizes(shape);
    gemm_events events;
    multiply(call, shape, &d_held, events);
    return events;
}

} // namespace

gemm_cpu_parameters::gemm_cpu_parameters(gemm_type type, std::size_t native_width)
    : width(native_width >= 16  ? 16
            : native_width >= 8 ? 8
                                : 4),
      block_rows(1024),
      block_k(1024)
{
    // AVX-512 and NEON have 32 vector registers, AVX2 and SSE 16.
    const bool many = width != 8;
    const bool is_complex = type == gemm_type::c32;
    rows = is_complex && !many ? 5 : 6;
    vectors = (many ? 4 : 2) / (is_complex ? 2 : 1);
}

gemm_cpu_blocking::gemm_cpu_blocking(gemm_type type,
                                     const gemm_cpu_parameters& parameters,
                                     const device_limits& limits)
    : d_type(type),
      d_parameters(parameters),
      d_local_memory(std::min(limits.local_memory, max_scratch)),
      d_items(items_per_unit * limits.compute_units)
{
    if (parameters.width != 4 && parameters.width != 8 && parameters.width != 16)
        throw_invalid("width", std::to_string(parameters.width), "4, 8 or 16");
    check("rows", parameters.rows, 1, 16);
    check("vectors", parameters.vectors, 1, type == gemm_type::c32 ? 2 : 4);
    check("block_rows", parameters.block_rows, 1, 1 << 20);
    check("block_k",
          parameters.block_k,
          1,
          type == gemm_type::s8 ? max_exact_s8_terms : 1 << 20);
}

bool gemm_cpu_blocking::has_scratch(const gemm_cpu_parameters& tile) const
{
    constexpr std::size_t min_k = 32;
    return (min_k + fewest_tiles * tile.rows) * tile.panel_floats(d_type) *
               sizeof(float) <=
           d_local_memory;
}

gemm_cpu_parameters gemm_cpu_blocking::tile_for(const gemm_shape& shape) const
{
    auto tile = d_parameters;
    if (shape.n <= 4)
        tile.width = 4;
    constexpr std::size_t few = 2, some = 4;
    if (shape.m <= few)
        tile.rows = std::min(tile.rows, few);
    else if (tile.rows > some && round_up(shape.m, some) < round_up(shape.m, tile.rows))
        // A tile with fewer rows loads more for each product, which costs about 2 %.
        if (50 * round_up(shape.m, some) <= 49 * round_up(shape.m, tile.rows))
            tile.rows = some;
    return tile;
}

gemm_blocks gemm_cpu_blocking::cut(const gemm_shape& shape,
                                   const gemm_cpu_parameters& tile,
                                   bool packed) const
{
    const std::size_t panel = tile.vectors * tile.width;
    const std::size_t panel_floats = tile.panel_floats(d_type);
    if (!has_scratch(tile)) {
        const std::size_t rows = std::min(shape.m, tile.block_rows);
        const std::size_t most = d_type == gemm_type::s8 ? tile.block_k : shape.k;
        return { rows, panel, std::max<std::size_t>(std::min(shape.k, most), 1), 0, 0 };
    }

    const auto even = [](std::size_t all, std::size_t most, std::size_t step) {
        return round_up(divide_up(all, divide_up(all, most)), step);
    };
    gemm_blocks blocks = {};
    const auto fits = [&](std::size_t rows, std::size_t panels, std::size_t k) {
        const std::size_t sums = k < shape.k && d_type != gemm_type::s8
                                     ? divide_up(rows, tile.rows) * panels * tile.rows
                                     : tile.rows;
        blocks.sum_floats = sums * panel_floats;
        blocks.packed_floats = packed ? 0 : panels * k * panel_floats;
        return (blocks.sum_floats + blocks.packed_floats) * sizeof(float) <=
               d_local_memory;
    };
    std::size_t k = tile.block_k;
    std::size_t panels = 1;
    std::size_t rows = even(shape.m, round_up(tile.block_rows, tile.rows), tile.rows);
    const std::size_t few_rows = fewest_tiles * tile.rows;
    while (k > 1 && !fits(std::min(rows, few_rows), 1, k))
        k /= 2;
    k = even(std::max<std::size_t>(shape.k, 1), k, 1);
    // Blocks of few terms get more columns, so that memory is read along longer rows.
    if (k >= shape.k)
        panels = std::max<std::size_t>(few_terms / k, 1);
    panels = std::min(panels, divide_up(shape.n, panel));
    const auto items = [&] {
        return divide_up(shape.m, rows) * divide_up(shape.n, panels * panel);
    };
    while (panels > 1 && (items() < d_items || !fits(rows, panels, k)))
        panels = divide_up(panels, 2);
    while (rows > few_rows && (items() < d_items || !fits(rows, panels, k)))
        rows = std::max(even(shape.m, divide_up(rows, 2), tile.rows), few_rows);
    fits(rows, panels, k);
    blocks.rows = rows;
    blocks.columns = panels * panel;
    blocks.k = k;
    return blocks;
}

std::unique_ptr<gemm_kernel> make_gemm_kernel_cpu(const gemm_kernel_args& args,
                                                  const gemm_cpu_parameters& parameters)
{
    return std::make_unique<gemm_kernel_cpu>(args, parameters);
}

parameter_table<gemm_cpu_parameters> gemm_cpu_table(gemm_type type,
                                                    const device_limits& limits)
{
    using p = gemm_cpu_parameters;
    using values = std::vector<std::int64_t>;
    const bool is_complex = type == gemm_type::c32;
    return {
        { "gemm_cpu_tile", "gemm_cpu" },
        p(type, limits.native_vector_width_float),
        { { "width", &p::width, { 4, 8, 16 }, "WIDTH" },
          { "rows", &p::rows, { 1, 2, 3, 4, 5, 6, 8, 10, 12, 16 }, "ROWS" },
          { "vectors",
            &p::vectors,
            is_complex ? values{ 1, 2 } : values{ 1, 2, 3, 4 },
            "VECTORS" },
          { "block_rows", &p::block_rows, { 16, 32, 64, 128, 256, 512, 1024 } },
          { "block_k",
            &p::block_k,
            type == gemm_type::s8 ? values{ 64, 128, 256, 512, 1024 }
                                  : values{ 64, 128, 256, 512, 1024, 2048 } } },
        // Beyond this, compiling takes very long, and no device has enough registers.
        { { "sums in registers",
            [planes = is_complex ? 2 : 1](const p& of) {
                return of.rows * of.vectors * planes <= 48;
            } } }
    };
}

const gemm_variant& gemm_cpu_tile_variant()
{
    static const auto& variant = *new gemm_variant(
        { "cpu_tile",
          "for CPU devices: B is packed into panels, a register tile of vectors",
          "production",
          gemm_types_with_bytes() },
        [](const gemm_kernel_args& args) {
            return make_gemm_kernel_cpu(args,
                                        gemm_cpu_table(args.type, args.device->limits())
                                            .chosen(args.device->options(), args.tuned));
        },
        suits_cpu);
    return variant;
}

} // namespace cldsp
