/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_candidates.h"

#include "gemm_kernel.h"
#include "host_gemm.h"
#include "openblas.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

double at(const cl::Event& event, cl_profiling_info what)
{
    cl_ulong nanoseconds = 0;
    event.getProfilingInfo(what, &nanoseconds);
    return 1e-9 * static_cast<double>(nanoseconds);
}

//! From the first command's start to the last one's end.
double span_of(const std::vector<cl::Event>& events)
{
    double start = std::numeric_limits<double>::infinity(), end = 0;
    for (const auto& event : events) {
        start = std::min(start, at(event, CL_PROFILING_COMMAND_START));
        end = std::max(end, at(event, CL_PROFILING_COMMAND_END));
    }
    return events.empty() ? 0 : end - start;
}

class on_device : public gemm_candidate
{
public:
    on_device(std::shared_ptr<context> device,
              const std::string& variant,
              bool held,
              const gemm_data& data)
        : d_device(std::move(device)),
          d_queue(d_device->make_queue()),
          d_held(held),
          d_bytes(data.c_bytes())
    {
        const auto& work = data.work();
        for (const std::size_t bytes : { data.a().size(), data.b().size(), d_bytes })
            if (bytes > d_device->limits().max_buffer)
                throw std::runtime_error("the matrices are too large for the device");
        d_kernel = make_gemm_kernel(variant, { d_device, d_queue, work.type });
        d_call.shape = work.shape;
        d_call.a = upload(data.a(), work.shape.k);
        d_call.b = upload(data.b(), work.shape.n);
        d_call.c = upload(data.empty_c(), work.shape.n);
        if (held)
            d_kernel->hold_b(work.shape.k, work.shape.n, d_call.b);
    }

    gemm_time call() override
    {
        const auto events =
            d_held ? d_kernel->enqueue_held(d_call) : d_kernel->enqueue(d_call);
        d_queue.finish();
        auto all = events.prepare;
        all.insert(all.end(), events.multiply.begin(), events.multiply.end());
        return { span_of(all), span_of(events.multiply) };
    }

    std::vector<std::uint8_t> result() override
    {
        std::vector<std::uint8_t> c(d_bytes);
        d_queue.enqueueReadBuffer(d_call.c.buffer, CL_TRUE, 0, c.size(), c.data());
        return c;
    }

private:
    gemm_device_matrix upload(const std::vector<std::uint8_t>& bytes, std::size_t columns)
    {
        gemm_device_matrix matrix;
        matrix.leading = columns;
        matrix.buffer =
            cl::Buffer(d_device->cl_context(), CL_MEM_READ_WRITE, bytes.size());
        d_queue.enqueueWriteBuffer(matrix.buffer, CL_TRUE, 0, bytes.size(), bytes.data());
        return matrix;
    }

    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    bool d_held;
    std::size_t d_bytes;
    std::unique_ptr<gemm_kernel> d_kernel;
    gemm_device_call d_call;
};

//! Something on the host, timed by the clock.
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
        if (data.work().type == gemm_type::f16)
            throw std::runtime_error("OpenBLAS does not multiply half precision");
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

} // namespace

std::vector<gemm_entry> device_gemm_entries(const std::shared_ptr<context>& device)
{
    std::vector<gemm_entry> entries;
    for (const auto& variant : gemm_variants()) {
        if (variant.ladder == "host")
            continue;
        const auto add = [&](const std::string& name, bool held) {
            entries.push_back(
                { name,
                  variant.ladder,
                  [device, variant = variant.name, held](const gemm_data& data) {
                      return std::make_unique<on_device>(device, variant, held, data);
                  } });
        };
        add(variant.name, false);
        if (variant.name == "cpu_tile")
            add(variant.name + ", B held", true);
    }
    return entries;
}

std::vector<gemm_entry> host_gemm_entries()
{
    return {
        { "simd",
          "host",
          [](const gemm_data& data) { return std::make_unique<by_simd>(data, false); } },
        { "simd, B held",
          "host",
          [](const gemm_data& data) { return std::make_unique<by_simd>(data, true); } },
        { "OpenBLAS",
          "library",
          [](const gemm_data& data) { return std::make_unique<by_openblas>(data); } }
    };
}

} // namespace cldsp::bench
