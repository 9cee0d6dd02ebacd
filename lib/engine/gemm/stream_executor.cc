// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Multiplies streams on the host's threads, or as a product of matrices on a device.

#include "gemm/stream_executor.h"

#include "base/page_memory.h"
#include "simd/dispatch.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace cldsp {

namespace {

// A call of fewer operations ends before other threads would have started.
constexpr double min_shared_operations = 4e6;

class on_host final : public stream_executor
{
public:
    on_host(gemm_type type, std::size_t rows, std::size_t columns)
        : stream_executor({ "host", "simd" }), d_rows(rows), d_host(type, rows, columns)
    {
    }

    void set_matrix(const void* a) override { d_host.set_matrix(a); }
    void multiply(const void* const* in, void* const* out, std::size_t items) override
    {
        d_sums.time_call(items * d_rows, [&] { d_host.multiply(in, out, items); });
    }

private:
    std::size_t d_rows;
    stream_matrix_host d_host;
};

class by_gemm final : public stream_executor
{
public:
    by_gemm(gemm_type type,
            std::size_t rows,
            std::size_t columns,
            std::unique_ptr<gemm_executor> gemm)
        : stream_executor(
              { gemm->device_name(), gemm->variant_name(), gemm->transfer_name() }),
          d_element(element_size(type)),
          d_rows(rows),
          d_columns(columns),
          d_a(rows * columns * d_element),
          d_x(1),
          d_y(1),
          d_gemm(std::move(gemm))
    {
    }
    //! Keeps the matrices if the device is lost, because a late command may still access
    //! them.
    ~by_gemm() override
    {
        if (!d_gemm->device_is_lost())
            return;
        d_a.keep();
        d_x.keep();
        d_y.keep();
    }

    void set_matrix(const void* a) override
    {
        std::memcpy(d_a.as<void>(), a, d_rows * d_columns * d_element);
    }
    void multiply(const void* const* in, void* const* out, std::size_t items) override
    {
        const std::size_t row = items * d_element;
        reserve(d_x, d_columns * row);
        reserve(d_y, d_rows * row);
        for (std::size_t k = 0; k < d_columns; k++)
            std::memcpy(d_x.as<unsigned char>() + k * row, in[k], row);
        gemm_call call;
        call.shape = { d_rows, items, d_columns };
        call.a = { d_a.as<void>(), d_columns };
        call.b = { d_x.as<void>(), items };
        call.c = { d_y.as<void>(), items };
        d_gemm->multiply(call);
        for (std::size_t l = 0; l < d_rows; l++)
            std::memcpy(out[l], d_y.as<unsigned char>() + l * row, row);
    }
    gemm_precision precision() const override { return d_gemm->precision(); }
    run_statistics statistics() const override { return d_gemm->statistics(); }
    void clear_statistics() override { d_gemm->clear_statistics(); }
    bool device_is_lost() const override { return d_gemm->device_is_lost(); }

private:
    static void reserve(page_memory& memory, std::size_t bytes)
    {
        if (bytes > memory.region().bytes)
            memory = page_memory(bytes);
    }

    std::size_t d_element, d_rows, d_columns;
    page_memory d_a, d_x, d_y; // the coefficients, the streams and the products
    std::unique_ptr<gemm_executor> d_gemm;
};

} // namespace

CLDSP_DECLARE_KERNELS(stream_matrix_kernels, stream_products)

std::vector<const stream_matrix_kernels*> available_stream_matrix_kernels()
{
    return runnable_kernels<stream_matrix_kernels>(CLDSP_KERNEL_SETS(stream_products));
}

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
    // Each thread has several parts, so that a thread that is held up does not hold up
    // the others.
    const std::size_t parts = 4 * d_pool->threads();
    const std::size_t tiles = (count + d_kernels->tile - 1) / d_kernels->tile;
    const std::size_t part = (tiles + parts - 1) / parts * d_kernels->tile;
    d_pool->parallel_for((count + part - 1) / part, [&](std::size_t i, unsigned worker) {
        run(i * part, std::min(count, (i + 1) * part), worker);
    });
}

std::unique_ptr<stream_executor>
make_host_streams(gemm_type type, std::size_t rows, std::size_t columns)
{
    return std::make_unique<on_host>(type, rows, columns);
}

std::unique_ptr<stream_executor> make_gemm_streams(gemm_type type,
                                                   std::size_t rows,
                                                   std::size_t columns,
                                                   std::unique_ptr<gemm_executor> gemm)
{
    return std::make_unique<by_gemm>(type, rows, columns, std::move(gemm));
}

} // namespace cldsp
