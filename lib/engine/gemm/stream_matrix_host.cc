/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/stream_matrix_host.h"
#include "simd/dispatch.h"

#include <algorithm>

namespace cldsp {

CLDSP_DECLARE_KERNELS(stream_matrix_kernels, stream_products)

std::vector<const stream_matrix_kernels*> available_stream_matrix_kernels()
{
    return runnable_kernels<stream_matrix_kernels>(CLDSP_KERNEL_SETS(stream_products));
}

namespace {

// A call of fewer operations is done before other threads have begun.
constexpr double min_shared_operations = 4e6;

} // namespace

stream_matrix_host::stream_matrix_host(gemm_type type,
                                       std::size_t rows,
                                       std::size_t columns,
                                       const stream_matrix_kernels* kernels)
    : d_complex(type == gemm_type::c32),
      d_rows(rows),
      d_columns(columns),
      d_kernels(kernels ? kernels : available_stream_matrix_kernels().front()),
      d_a(rows * columns * (d_complex ? 2 : 1)),
      d_in(columns),
      d_out(rows),
      d_scratch(1)
{
    d_scratch[0].resize(columns * d_kernels->tile);
}

void stream_matrix_host::set_matrix(const void* a)
{
    const auto* from = static_cast<const float*>(a);
    const std::size_t floats = d_complex ? 2 : 1;
    const std::size_t most = d_complex ? d_kernels->complex_rows : d_kernels->real_rows;
    float* to = d_a.data();
    for (std::size_t row = 0; row < d_rows; row += most) {
        const std::size_t group = std::min(most, d_rows - row);
        for (std::size_t k = 0; k < d_columns; k++)
            for (std::size_t r = 0; r < group; r++) {
                const float* element = from + ((row + r) * d_columns + k) * floats;
                to = std::copy(element, element + floats, to);
            }
    }
}

void stream_matrix_host::multiply(const void* const* in,
                                  void* const* out,
                                  std::size_t items)
{
    std::transform(in, in + d_columns, d_in.begin(), [](const void* stream) {
        return static_cast<const float*>(stream);
    });
    std::transform(out, out + d_rows, d_out.begin(), [](void* stream) {
        return static_cast<float*>(stream);
    });
    const std::size_t count = items * (d_complex ? 2 : 1);
    const auto run = [&](std::size_t first, std::size_t end, unsigned worker) {
        const stream_matrix_call call{ d_a.data(),   d_rows,
                                       d_columns,    d_in.data(),
                                       d_out.data(), first,
                                       end - first,  d_scratch[worker].data() };
        (d_complex ? d_kernels->complex : d_kernels->real)(call);
    };
    const double operations = 2 * static_cast<double>(d_rows) *
                              static_cast<double>(d_a.size() / d_rows) *
                              static_cast<double>(count);
    if (operations < min_shared_operations || thread_pool::count_for(0) == 1) {
        run(0, count, 0);
        return;
    }
    if (!d_pool) {
        d_pool = std::make_unique<thread_pool>(0);
        d_scratch.assign(d_pool->threads(),
                         volk::vector<float>(d_columns * d_kernels->tile));
    }
    // Some parts a thread, so that one that is held up does not hold up all.
    const std::size_t parts = 4 * d_pool->threads();
    const std::size_t tiles = (count + d_kernels->tile - 1) / d_kernels->tile;
    const std::size_t part = (tiles + parts - 1) / parts * d_kernels->tile;
    d_pool->parallel_for((count + part - 1) / part, [&](std::size_t i, unsigned worker) {
        run(i * part, std::min(count, (i + 1) * part), worker);
    });
}

} // namespace cldsp
