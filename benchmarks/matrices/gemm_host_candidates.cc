// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products on the host by our kernels and OpenBLAS, and those that the planner chooses.

#include "matrices/gemm_candidates.h"

#include "base/page_memory.h"
#include "gemm/host_gemm.h"
#include "matrices/openblas.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

//! A product on the host, timed by the clock.
class on_host : public gemm_candidate
{
public:
    explicit on_host(const gemm_data& data) : d_data(data), d_c(data.empty_c()) {}

    gemm_time call() override
    {
        const auto start = clock::now();
        multiply();
        const double seconds =
            std::chrono::duration<double>(clock::now() - start).count();
        return { seconds, seconds };
    }
    void clear() override { d_c = d_data.empty_c(); }
    std::vector<std::uint8_t> result() override { return d_c; }

protected:
    virtual void multiply() = 0;

    const gemm_data& d_data;
    std::vector<std::uint8_t> d_c;
};

class by_simd : public on_host
{
public:
    by_simd(const gemm_data& data, bool held)
        : on_host(data), d_engine(data.work().type), d_held(held)
    {
        const auto& shape = data.work().shape;
        if (held)
            d_engine.hold_b(shape.k, shape.n, { data.b().data(), shape.n });
    }

private:
    void multiply() override
    {
        const auto& shape = d_data.work().shape;
        const const_gemm_matrix a = { d_data.a().data(), shape.k };
        const gemm_matrix c = { d_c.data(), shape.n };
        if (d_held)
            d_engine.multiply_held(shape.m, 1, a, 0, c);
        else
            d_engine.multiply(shape, 1, a, { d_data.b().data(), shape.n }, 0, c);
    }

    host_gemm d_engine;
    bool d_held;
};

class by_openblas : public on_host
{
public:
    explicit by_openblas(const gemm_data& data) : on_host(data)
    {
        const auto type = data.work().type;
        if (type != gemm_type::f32 && type != gemm_type::c32)
            throw std::runtime_error("OpenBLAS does not multiply " + type_name(type));
    }
    std::string note() const override { return d_library.describe(); }

private:
    void multiply() override
    {
        d_library.multiply(d_data.work().type,
                           d_data.work().shape,
                           d_data.a().data(),
                           d_data.b().data(),
                           d_c.data());
    }

    openblas d_library;
};

//! Copies the bytes to page-aligned memory, as a stream's buffer is, so that a device may
//! work in place.
page_memory on_pages(const std::vector<std::uint8_t>& bytes)
{
    page_memory memory(bytes.size());
    std::copy(bytes.begin(), bytes.end(), memory.as<std::uint8_t>());
    return memory;
}

class by_engine : public gemm_candidate
{
public:
    by_engine(context_registry& registry, const gemm_data& data)
        : d_data(data),
          d_engine(data.work().type, data.work().shape, gemm_options(), registry),
          d_a(on_pages(data.a())),
          d_b(on_pages(data.b())),
          d_c(on_pages(data.empty_c()))
    {
    }

    gemm_time call() override
    {
        const auto& shape = d_data.work().shape;
        const double kernels_before = kernel_seconds();
        const auto start = clock::now();
        d_engine.multiply(shape,
                          1,
                          { d_a.as<void>(), shape.k },
                          { d_b.as<void>(), shape.n },
                          0,
                          { d_c.as<void>(), shape.n });
        const double seconds =
            std::chrono::duration<double>(clock::now() - start).count();
        return { seconds, kernel_seconds() - kernels_before };
    }
    void clear() override
    {
        const auto c = d_data.empty_c();
        std::copy(c.begin(), c.end(), d_c.as<std::uint8_t>());
    }
    std::vector<std::uint8_t> result() override
    {
        const auto* c = d_c.as<std::uint8_t>();
        return { c, c + d_c.region().bytes };
    }
    std::string note() const override { return d_engine.plan(); }
    std::optional<chosen_plan> plan() const override { return d_engine.chosen(); }

private:
    double kernel_seconds() const
    {
        const auto s = d_engine.statistics();
        return s.kernel_time * static_cast<double>(s.calls);
    }

    const gemm_data& d_data;
    gemm d_engine;
    page_memory d_a, d_b, d_c;
};

} // namespace

std::vector<gemm_entry> host_gemm_entries()
{
    return { { "simd",
               "host",
               false,
               [](const gemm_data& data) {
                   return std::make_unique<by_simd>(data, false);
               } },
             { "simd, B held",
               "host",
               true,
               [](const gemm_data& data) {
                   return std::make_unique<by_simd>(data, true);
               } },
             { "OpenBLAS", "library", false, [](const gemm_data& data) {
                  return std::make_unique<by_openblas>(data);
              } } };
}

gemm_entry chosen_gemm_entry(context_registry& registry)
{
    return { "auto", "", false, [&registry](const gemm_data& data) {
                return std::make_unique<by_engine>(registry, data);
            } };
}

} // namespace cldsp::bench
