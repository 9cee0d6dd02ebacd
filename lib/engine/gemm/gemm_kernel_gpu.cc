// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The kernel of products for GPUs, by tiles in local memory.

#include "base/arithmetic.h"
#include "gemm/gemm_commands.h"
#include "gemm/gemm_parameters.h"
#include "gemm/gemm_problem.h"
#include "opencl/kernel_groups.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace cldsp {

namespace {

//! The number of elements in a chunk of 16 bytes of local memory.
std::size_t chunk_elements(gemm_type type) { return type == gemm_type::c32 ? 2 : 4; }

//! An offset or a leading dimension in 32 bits, in which the kernel counts because small
//! devices have no 64-bit integers.
cl_uint count(const char* name, std::size_t value)
{
    if (value > std::numeric_limits<cl_uint>::max())
        throw_invalid(name, std::to_string(value), "below 2^32 elements");
    return static_cast<cl_uint>(value);
}

class gemm_kernel_gpu : public gemm_kernel_without_packing
{
public:
    gemm_kernel_gpu(const gemm_kernel_args& args,
                    const std::vector<gemm_gpu_parameters>& choices);
    gemm_events enqueue(const gemm_device_call& call) override;

private:
    //! A kernel, and what it was built with: a choice, or a smaller group where the
    //! compiled kernel may not have that.
    struct built_kernel {
        gemm_gpu_parameters parameters;
        cl::Kernel kernel;
    };

    void check(const gemm_gpu_parameters& parameters) const;
    built_kernel& get(std::size_t choice, bool aligned);
    bool is_aligned(const gemm_device_matrix& matrix) const;

    gemm_kernel_args d_args;
    std::vector<gemm_gpu_parameters> d_choices;
    std::map<std::pair<std::size_t, bool>, built_kernel> d_kernels;
};

gemm_kernel_gpu::gemm_kernel_gpu(const gemm_kernel_args& args,
                                 const std::vector<gemm_gpu_parameters>& choices)
    : d_args(args), d_choices(choices)
{
    if (choices.empty())
        throw_invalid("choices", "empty", "one or more");
    for (const auto& parameters : choices)
        check(parameters);
    get(0, true);
}

void gemm_kernel_gpu::check(const gemm_gpu_parameters& parameters) const
{
    const auto& limits = d_args.device->limits();
    const std::size_t chunk = chunk_elements(d_args.type);
    const auto in_range =
        [](const char* name, std::size_t value, std::size_t step, std::size_t most) {
            if (value == 0 || value % step != 0 || value > most)
                throw_invalid(name,
                              std::to_string(value),
                              "a multiple of " + std::to_string(step) + " up to " +
                                  std::to_string(most));
        };
    in_range("group_columns", parameters.group_columns, 1, limits.max_work_item_sizes[0]);
    in_range("group_rows", parameters.group_rows, 1, limits.max_work_item_sizes[1]);
    in_range("work-items", parameters.items(), 1, limits.max_work_group_size);
    in_range("item_rows", parameters.item_rows, chunk, 16);
    in_range("item_columns", parameters.item_columns, chunk, 16);
    in_range("depth", parameters.depth, chunk, 64);
    in_range(
        "local memory", parameters.local_memory(d_args.type), 1, limits.local_memory);
}

gemm_kernel_gpu::built_kernel& gemm_kernel_gpu::get(std::size_t choice, bool aligned)
{
    auto& made = d_kernels[{ choice, aligned }];
    if (made.kernel())
        return made;
    const auto& device = *d_args.device;
    const auto table = gemm_gpu_table(d_args.type, device.limits());
    with_groups_that_run(device.limits(), [&](const device_limits& limits) {
        const auto parameters = d_choices[choice].fitted(d_args.type, limits);
        const auto built =
            device.build(table.family().file,
                         table.macros(parameters) +
                             " -DTYPE=" + std::to_string(static_cast<int>(d_args.type)) +
                             " -DALIGNED=" + std::to_string(aligned ? 1 : 0));
        with_opencl_errors(device, [&] {
            cl::Kernel kernel(built, "gemm");
            check_group_size(device, kernel, parameters.items(), "gpu_tile");
            made.parameters = parameters;
            replace(made.kernel, std::move(kernel));
        });
    });
    return made;
}

//! Whether every row starts at a multiple of 16 bytes.
bool gemm_kernel_gpu::is_aligned(const gemm_device_matrix& matrix) const
{
    const std::size_t chunk = 16 / element_size(d_args.type);
    return matrix.offset % chunk == 0 && matrix.leading % chunk == 0;
}

gemm_events gemm_kernel_gpu::enqueue(const gemm_device_call& call)
{
    check_sizes(call.shape);
    auto a = call.a;
    auto b = call.b;
    auto shape = call.shape;
    if (call.alpha == std::complex<float>(0)) {
        // The kernel does not read A and B, but its arguments need some buffer.
        shape.k = 0;
        a = b = call.c;
    }
    // For half precision and s8 both programs load in the same way.
    const bool aligned = d_args.type == gemm_type::f16 || d_args.type == gemm_type::s8 ||
                         (is_aligned(a) && is_aligned(b) && is_aligned(call.c));
    const std::size_t choice = gemm_gpu_parameters::best_of(
        d_choices, call.shape, d_args.device->limits().compute_units);
    auto& built = get(choice, aligned);
    const auto& parameters = built.parameters;
    auto& kernel = built.kernel;
    return with_opencl_errors(*d_args.device, [&] {
        set_args(kernel,
                 static_cast<cl_uint>(shape.m),
                 static_cast<cl_uint>(shape.n),
                 static_cast<cl_uint>(shape.k),
                 float_pair(call.alpha),
                 a.buffer,
                 count("A's offset", a.offset),
                 count("A's leading dimension", a.leading),
                 b.buffer,
                 count("B's offset", b.offset),
                 count("B's leading dimension", b.leading),
                 float_pair(call.beta),
                 call.c.buffer,
                 count("C's offset", call.c.offset),
                 count("C's leading dimension", call.c.leading));
        gemm_events events;
        events.multiply.push_back(enqueue_kernel(
            d_args,
            kernel,
            cl::NDRange(
                divide_up(shape.n, parameters.tile_columns()) * parameters.group_columns,
                divide_up(shape.m, parameters.tile_rows()) * parameters.group_rows),
            cl::NDRange(parameters.group_columns, parameters.group_rows)));
        return events;
    });
}

} // namespace

std::size_t gemm_gpu_parameters::local_memory(gemm_type type) const
{
    // The local memory has two halves of the same layout. In each half, every row of A is
    // followed by a chunk of padding.
    const std::size_t element = type == gemm_type::c32 ? 8 : 4;
    return 2 * depth * element * (tile_rows() + chunk_elements(type) + tile_columns());
}

gemm_gpu_parameters gemm_gpu_parameters::fitted(gemm_type type,
                                                const device_limits& limits) const
{
    auto p = *this;
    const std::size_t chunk = chunk_elements(type);
    const std::size_t max_items = std::max<std::size_t>(limits.max_work_group_size, 1);
    while (p.group_rows > std::max<std::size_t>(limits.max_work_item_sizes[1], 1))
        p.group_rows /= 2;
    while (p.group_columns > std::max<std::size_t>(limits.max_work_item_sizes[0], 1))
        p.group_columns /= 2;
    while (p.items() > max_items)
        (p.group_columns >= p.group_rows ? p.group_columns : p.group_rows) /= 2;
    const auto fits = [&] { return p.local_memory(type) <= limits.local_memory; };
    const auto halve = [](std::size_t& value, std::size_t step) {
        value = std::max(value / 2 / step * step, step);
    };
    constexpr std::size_t few_sums = 32;
    const std::size_t planes = type == gemm_type::c32 ? 2 : 1;
    if (has_few_registers(limits))
        while (p.item_rows * p.item_columns * planes > few_sums)
            halve(p.item_columns >= p.item_rows ? p.item_columns : p.item_rows, chunk);
    while (!fits() && p.depth > 8)
        halve(p.depth, chunk);
    while (!fits() && p.items() > 1)
        halve(p.group_columns >= p.group_rows ? p.group_columns : p.group_rows, 1);
    while (!fits() && (p.item_rows > chunk || p.item_columns > chunk))
        halve(p.item_columns >= p.item_rows ? p.item_columns : p.item_rows, chunk);
    while (!fits() && p.depth > chunk)
        halve(p.depth, chunk);
    return p;
}

std::size_t gemm_gpu_parameters::best_of(const std::vector<gemm_gpu_parameters>& choices,
                                         const gemm_shape& shape,
                                         std::size_t compute_units)
{
    std::size_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const auto& p = choices[i];
        const std::size_t groups =
            divide_up(shape.m, p.tile_rows()) * divide_up(shape.n, p.tile_columns());
        const double rounds = static_cast<double>(divide_up(groups, compute_units));
        // For rows * columns products a work-item loads as many elements as rows +
        // columns.
        const double rows = static_cast<double>(p.item_rows);
        const double columns = static_cast<double>(p.item_columns);
        const double tile =
            static_cast<double>(p.tile_rows()) * static_cast<double>(p.tile_columns());
        const double cost = rounds * tile * (1 + 2 * (rows + columns) / (rows * columns));
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

std::vector<gemm_gpu_parameters> gemm_gpu_parameters::defaults(gemm_type type)
{
    if (type == gemm_type::c32)
        return { { 8, 16, 8, 4, 16 }, { 16, 8, 4, 4, 16 }, { 8, 8, 4, 2, 16 } };
    return { { 16, 16, 8, 8, 16 }, { 16, 16, 4, 4, 16 }, { 8, 8, 4, 4, 16 } };
}

std::unique_ptr<gemm_kernel>
make_gemm_kernel_gpu(const gemm_kernel_args& args,
                     const std::vector<gemm_gpu_parameters>& choices)
{
    return std::make_unique<gemm_kernel_gpu>(args, choices);
}

std::vector<gemm_gpu_parameters>
gemm_gpu_parameters::fitted_defaults(gemm_type type, const device_limits& limits)
{
    auto choices = defaults(type);
    for (auto& parameters : choices)
        parameters = parameters.fitted(type, limits);
    return choices;
}

parameter_table<gemm_gpu_parameters> gemm_gpu_table(gemm_type type,
                                                    const device_limits& limits)
{
    using p = gemm_gpu_parameters;
    using values = std::vector<std::int64_t>;
    const bool is_complex = type == gemm_type::c32;
    const values groups{ 1, 2, 4, 8, 16, 32, 64 };
    // A work-item's rows and columns are multiples of 16 bytes.
    const auto items = is_complex ? values{ 2, 4, 6, 8 } : values{ 4, 8, 12, 16 };
    const auto depths =
        is_complex ? values{ 2, 4, 8, 16, 32, 64 } : values{ 4, 8, 16, 32, 64 };
    return { { "gemm_gpu_tile", "gemm_gpu" },
             p::defaults(type).front().fitted(type, limits),
             { { "group_rows", &p::group_rows, groups, "GROUP_ROWS" },
               { "group_columns", &p::group_columns, groups, "GROUP_COLUMNS" },
               { "item_rows", &p::item_rows, items, "ITEM_ROWS" },
               { "item_columns", &p::item_columns, items, "ITEM_COLUMNS" },
               { "depth", &p::depth, depths, "DEPTH" } },
             { { "work-items of a group",
                 [limits](const p& of) {
                     return of.items() <= limits.max_work_group_size &&
                            of.group_rows <= limits.max_work_item_sizes[1] &&
                            of.group_columns <= limits.max_work_item_sizes[0];
                 } },
               { "local memory",
                 [limits, type](const p& of) {
                     return of.local_memory(type) <= limits.local_memory;
                 } },
               // Beyond this, compiling takes very long, and no device has enough
               // registers.
               { "unrolled steps", [planes = is_complex ? 2 : 1](const p& of) {
                    const std::size_t sums = of.item_rows * of.item_columns * planes;
                    return sums <= 64 && sums * of.depth <= 2048;
                } } } };
}

std::unique_ptr<gemm_kernel> make_gemm_kernel_gpu(const gemm_kernel_args& args)
{
    const auto& device = *args.device;
    const auto table = gemm_gpu_table(args.type, device.limits());
    if (!args.tuned.empty() || table.family().given(device.options()))
        return make_gemm_kernel_gpu(args, { table.chosen(device.options(), args.tuned) });
    return make_gemm_kernel_gpu(
        args, gemm_gpu_parameters::fitted_defaults(args.type, device.limits()));
}

const gemm_variant& gemm_gpu_tile_variant()
{
    static const auto& variant = *new gemm_variant(
        { "gpu_tile",
          "for GPUs: tiles in local memory, smaller ones in registers",
          "production",
          gemm_types_with_bytes() },
        [](const gemm_kernel_args& args) { return make_gemm_kernel_gpu(args); },
        suits_gpu);
    return variant;
}

} // namespace cldsp
