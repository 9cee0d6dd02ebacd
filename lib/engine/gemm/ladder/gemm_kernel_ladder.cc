// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Prepares, transposes and scales matrices for the kernels that serve for comparison.

#include "base/arithmetic.h"
#include "gemm/ladder/gemm_kernel_ladder.h"
#include "opencl/kernel_groups.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace cldsp {

namespace {

// Kernels compute indices in 32 bits. Half of that range is left for tiles at the edge of
// the matrix, whose indices reach beyond it before they are cut off.
constexpr std::size_t max_elements = std::numeric_limits<cl_int>::max();

void check_count(const char* name, std::size_t count)
{
    if (count > max_elements)
        throw_invalid(
            name, std::to_string(count), "at most " + std::to_string(max_elements));
}

void check_matrix(const char* offset, const char* leading, const gemm_device_matrix& m)
{
    check_count(offset, m.offset);
    check_count(leading, m.leading);
}

void check_b(std::size_t k, std::size_t n, const gemm_device_matrix& b)
{
    check_count("k", k);
    check_count("n", n);
    check_matrix("offset of b", "leading dimension of b", b);
}

} // namespace

const cl::Buffer&
gemm_work_space::grow(const context& device, std::size_t bytes, const std::string& what)
{
    const std::size_t most = device.limits().max_buffer;
    if (bytes > most)
        throw_invalid("the bytes of " + what,
                      std::to_string(bytes),
                      "at most " + std::to_string(most) + ", what device '" +
                          device.name() + "' takes in a buffer");
    if (bytes > d_capacity) {
        d_buffer.drop();
        d_capacity = 0;
        device.check_injected(injected_call::allocate);
        d_buffer.hold(device, cl::Buffer(device.cl_context(), CL_MEM_READ_WRITE, bytes));
        d_capacity = bytes;
    }
    return d_buffer.get();
}

gemm_kernel_ladder::gemm_kernel_ladder(const gemm_kernel_args& args) : d_args(args) {}

template <class F>
void gemm_kernel_ladder::checked(F&& action) const
{
    try {
        action();
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), device().name());
    }
}

void gemm_kernel_ladder::check_sizes(const gemm_device_call& call) const
{
    check_count("m", call.shape.m);
    check_matrix("offset of a", "leading dimension of a", call.a);
    check_matrix("offset of c", "leading dimension of c", call.c);
}

gemm_events gemm_kernel_ladder::enqueue(const gemm_device_call& call)
{
    gemm_events events;
    checked([&] {
        if (call.alpha == std::complex<float>(0)) {
            scale(call, events);
            return;
        }
        check_sizes(call);
        check_b(call.shape.k, call.shape.n, call.b);
        prepare_b(call.shape.k, call.shape.n, call.b, d_passing, events.prepare);
        multiply(call, d_passing, events);
    });
    return events;
}

void gemm_kernel_ladder::hold_b(std::size_t k, std::size_t n, const gemm_device_matrix& b)
{
    d_held_shape.reset();
    checked([&] {
        check_b(k, n, b);
        std::vector<cl::Event> events;
        prepare_b(k, n, b, d_held, events);
    });
    d_held_shape = gemm_shape{ 1, n, k };
}

gemm_events gemm_kernel_ladder::enqueue_held(const gemm_device_call& held_call)
{
    if (!d_held_shape)
        throw std::logic_error("gemm_kernel: no B is held");
    gemm_device_call call = held_call;
    call.shape.n = d_held_shape->n;
    call.shape.k = d_held_shape->k;
    gemm_events events;
    checked([&] {
        if (call.alpha == std::complex<float>(0)) {
            scale(call, events);
            return;
        }
        check_sizes(call);
        multiply(call, d_held, events);
    });
    return events;
}

void gemm_kernel_ladder::scale(gemm_device_call call, gemm_events& events)
{
    call.shape.k = 0;
    call.a = call.b = gemm_device_matrix{ call.c.buffer, 0, 0 };
    check_sizes(call);
    check_count("n", call.shape.n);
    gemm_prepared_b nothing;
    nothing.matrix = call.b;
    multiply(call, nothing, events);
}

void gemm_kernel_ladder::prepare_b(std::size_t,
                                   std::size_t,
                                   const gemm_device_matrix& b,
                                   gemm_prepared_b& to,
                                   std::vector<cl::Event>&)
{
    to.matrix = b;
}

cl::Event gemm_kernel_ladder::launch(const cl::Kernel& kernel,
                                     const std::array<std::size_t, 2>& items,
                                     const std::array<std::size_t, 2>& group) const
{
    return enqueue_kernel(
        device(),
        queue(),
        kernel,
        cl::NDRange(round_up(items[0], group[0]), round_up(items[1], group[1])),
        cl::NDRange(group[0], group[1]));
}

std::array<std::size_t, 2>
gemm_kernel_ladder::group_of(const cl::Kernel& kernel, std::size_t x, std::size_t y) const
{
    const auto& limits = device().limits();
    const std::size_t most = max_group_of(device(), kernel);
    while (y > 1 && (x * y > most || y > limits.max_work_item_sizes[1]))
        y /= 2;
    while (x > 1 && (x * y > most || x > limits.max_work_item_sizes[0]))
        x /= 2;
    return { x, y };
}

void gemm_kernel_ladder::build_transpose()
{
    const std::size_t element = element_size(type());
    const auto rows_of = [](std::size_t tile) {
        return std::max<std::size_t>(1, tile / 4);
    };
    const auto fits = [&](std::size_t tile, const device_limits& limits) {
        return tile <= limits.max_work_item_sizes[0] &&
               rows_of(tile) <= limits.max_work_item_sizes[1] &&
               tile * rows_of(tile) <= limits.max_work_group_size &&
               tile * (tile + 1) * element <= limits.local_memory;
    };
    const char* moved = element == 2 ? "ushort" : element == 4 ? "uint" : "uint2";
    with_groups_that_run(device().limits(), [&](const device_limits& limits) {
        std::size_t tile = 16;
        while (tile > 1 && !fits(tile, limits))
            tile /= 2;
        cl::Kernel kernel(device().build("gemm_transpose",
                                         std::string("-DELEMENT=") + moved + " -DTILE=" +
                                             std::to_string(tile) + " -DGROUP_ROWS=" +
                                             std::to_string(rows_of(tile))),
                          "transpose");
        check_group_size(device(), kernel, tile * rows_of(tile), "transpose");
        replace(d_transpose, std::move(kernel));
        d_tile = tile;
    });
}

gemm_device_matrix gemm_kernel_ladder::transpose(const gemm_device_matrix& from,
                                                 std::size_t rows,
                                                 std::size_t columns,
                                                 std::size_t leading,
                                                 gemm_work_space& to,
                                                 std::vector<cl::Event>& events)
{
    gemm_device_matrix result;
    result.leading = leading;
    result.buffer = to.grow(
        device(), columns * leading * element_size(type()), "a transposed matrix");
    if (d_tile == 0)
        build_transpose();
    gemm_kernel_arguments(d_transpose)
        .add_matrix(from)
        .add_count(rows)
        .add_count(columns)
        .add(result.buffer)
        .add_count(leading);
    const std::size_t group_rows = std::max<std::size_t>(1, d_tile / 4);
    // A work-group has fewer rows of work-items than its tile has rows.
    const std::size_t row_items = (columns + d_tile - 1) / d_tile * group_rows;
    events.push_back(launch(d_transpose, { leading, row_items }, { d_tile, group_rows }));
    return result;
}

std::string gemm_kernel_ladder::type_option() const
{
    return "-DTYPE=" + std::to_string(static_cast<int>(type()));
}

} // namespace cldsp
