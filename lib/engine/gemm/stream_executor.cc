/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm/stream_executor.h"

#include "base/call_sums.h"
#include "base/lent_memory.h"
#include "gemm/stream_matrix_host.h"

#include <cldsp/errors.h>

#include <cstring>
#include <memory>
#include <utility>

namespace cldsp {

namespace {

class on_host final : public stream_executor
{
public:
    on_host(gemm_type type, std::size_t rows, std::size_t columns)
        : d_rows(rows), d_host(type, rows, columns)
    {
    }

    void set_matrix(const void* a) override { d_host.set_matrix(a); }
    void multiply(const void* const* in, void* const* out, std::size_t items) override
    {
        d_sums.time_call(items * d_rows, [&] { d_host.multiply(in, out, items); });
    }
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return "simd"; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }
    bool fell_back() const override { return false; }
    chosen_plan plan() const override { return {}; }

private:
    std::size_t d_rows;
    stream_matrix_host d_host;
    call_sums d_sums;
};

class by_gemm final : public stream_executor
{
public:
    by_gemm(gemm_type type,
            std::size_t rows,
            std::size_t columns,
            std::size_t items,
            const gemm_options& options,
            context_registry& registry)
        : d_element(element_size(type)),
          d_rows(rows),
          d_columns(columns),
          d_gemm(type, { rows, items, columns }, options, registry),
          d_memory(std::make_unique<matrices>(rows * columns * d_element))
    {
        if (d_gemm.fell_back())
            throw opencl_error(
                "gemm", CL_DEVICE_NOT_AVAILABLE, options.device, d_gemm.plan());
    }
    ~by_gemm() override
    {
        if (!d_device_is_left && d_gemm.device_is_lost())
            d_memory->keep();
    }

    void set_matrix(const void* a) override
    {
        std::memcpy(d_memory->a.as<void>(), a, a_bytes());
    }
    void multiply(const void* const* in, void* const* out, std::size_t items) override
    {
        const std::size_t row = items * d_element;
        multiply_here(in, items);
        if (!d_device_is_left && d_gemm.device_is_lost()) {
            leave_device();
            multiply_here(in, items);
        }
        for (std::size_t l = 0; l < d_rows; l++)
            std::memcpy(out[l], d_memory->y.as<unsigned char>() + l * row, row);
    }
    std::string device_name() const override { return d_gemm.device_name(); }
    std::string variant_name() const override { return d_gemm.variant_name(); }
    std::string transfer_name() const override { return d_gemm.transfer_name(); }
    run_statistics statistics() const override { return d_gemm.statistics(); }
    bool fell_back() const override { return d_gemm.fell_back(); }
    chosen_plan plan() const override
    {
        return fell_back() ? d_gemm.chosen() : chosen_plan();
    }

private:
    //! The coefficients, the streams and the products.
    struct matrices {
        explicit matrices(std::size_t a_bytes) : a(a_bytes), x(1), y(1) {}
        void keep() const noexcept
        {
            a.keep();
            x.keep();
            y.keep();
        }
        lent_memory a, x, y;
    };

    std::size_t a_bytes() const { return d_rows * d_columns * d_element; }

    static void reserve(lent_memory& memory, std::size_t bytes)
    {
        if (bytes > memory.region().bytes)
            memory = lent_memory(bytes);
    }

    void multiply_here(const void* const* in, std::size_t items)
    {
        const std::size_t row = items * d_element;
        auto& m = *d_memory;
        reserve(m.x, d_columns * row);
        reserve(m.y, d_rows * row);
        for (std::size_t k = 0; k < d_columns; k++)
            std::memcpy(m.x.as<unsigned char>() + k * row, in[k], row);
        d_gemm.multiply({ d_rows, items, d_columns },
                        1,
                        { m.a.as<void>(), d_columns },
                        { m.x.as<void>(), items },
                        0,
                        { m.y.as<void>(), items });
    }

    //! A late command may come to the matrices, even while the host computes there.
    void leave_device()
    {
        auto fresh = std::make_unique<matrices>(a_bytes());
        std::memcpy(fresh->a.as<void>(), d_memory->a.as<void>(), a_bytes());
        d_memory->keep();
        d_memory = std::move(fresh);
        d_device_is_left = true;
    }

    std::size_t d_element, d_rows, d_columns;
    gemm d_gemm;
    std::unique_ptr<matrices> d_memory;
    bool d_device_is_left = false;
};

} // namespace

std::unique_ptr<stream_executor>
make_host_streams(gemm_type type, std::size_t rows, std::size_t columns)
{
    return std::make_unique<on_host>(type, rows, columns);
}

std::unique_ptr<stream_executor> make_gemm_streams(gemm_type type,
                                                   std::size_t rows,
                                                   std::size_t columns,
                                                   std::size_t typical_items,
                                                   const gemm_options& options,
                                                   context_registry& registry)
{
    return std::make_unique<by_gemm>(
        type, rows, columns, typical_items, options, registry);
}

} // namespace cldsp
