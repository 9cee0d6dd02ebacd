// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products on a device, with the times of their commands.

#include "matrices/gemm_candidates.h"

#include "gemm/gemm_kernel.h"
#include "opencl/device_watch.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

namespace cldsp::bench {

namespace {

//! The time from the start of the first command to the end of the last.
double span_of(const context& device, const std::vector<cl::Event>& events)
{
    auto start = std::numeric_limits<std::uint64_t>::max(), end = std::uint64_t(0);
    for (const auto& event : events) {
        const auto span = device.shared_watch()->span_of(event);
        start = std::min(start, span.first);
        end = std::max(end, span.second);
    }
    return events.empty() ? 0 : 1e-9 * static_cast<double>(end - start);
}

//! The matrices of a workload in a device's memory.
struct device_matrices {
    device_matrices(const std::shared_ptr<context>& device, const gemm_data& data)
        : queue(device->make_queue())
    {
        const std::size_t c_bytes = data.c_bytes();
        for (const std::size_t bytes : { data.a().size(), data.b().size(), c_bytes })
            if (bytes > device->limits().max_buffer)
                throw std::runtime_error("the matrices are too large for the device");
        const auto upload = [&](const std::vector<std::uint8_t>& bytes) {
            const cl::Buffer buffer(
                device->cl_context(), CL_MEM_READ_WRITE, bytes.size());
            queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes.size(), bytes.data());
            return buffer;
        };
        const auto& shape = data.work().shape;
        a = { upload(data.a()), 0, shape.k };
        b = { upload(data.b()), 0, shape.n };
        c = { upload(data.empty_c()), 0, shape.n };
    }

    cl::CommandQueue queue;
    gemm_device_matrix a, b, c;
};

//! Uploads the matrices of a workload once, and keeps them while a candidate uses them.
class shared_matrices
{
public:
    explicit shared_matrices(std::shared_ptr<context> device)
        : d_device(std::move(device))
    {
    }
    const std::shared_ptr<context>& device() const { return d_device; }

    std::shared_ptr<device_matrices> of(const gemm_data& data)
    {
        auto& known = d_matrices[&data];
        auto matrices = known.lock();
        if (!matrices) {
            matrices = std::make_shared<device_matrices>(d_device, data);
            known = matrices;
        }
        return matrices;
    }

private:
    std::shared_ptr<context> d_device;
    std::map<const gemm_data*, std::weak_ptr<device_matrices>> d_matrices;
};

class on_device : public gemm_candidate
{
public:
    on_device(shared_matrices& shared,
              const std::string& variant,
              bool held,
              gemm_precision precision,
              const gemm_data& data)
        : d_data(data),
          d_device(shared.device()),
          d_queue(d_device->make_queue()),
          d_held(held),
          d_tells_last_alone(variant == "clblast"),
          d_matrices(shared.of(data))
    {
        const auto& work = data.work();
        const bool floats = work.type == gemm_type::f32 || work.type == gemm_type::c32;
        if (!floats && precision != gemm_precision::exact)
            throw std::runtime_error(type_name(work.type) + " is multiplied exactly");
        d_kernel =
            make_gemm_kernel(variant, { d_device, d_queue, work.type, {}, precision });
        d_call.shape = work.shape;
        d_call.a = d_matrices->a;
        d_call.b = d_matrices->b;
        d_call.c = d_matrices->c;
        if (held)
            d_kernel->hold_b(work.shape.k, work.shape.n, d_call.b);
        clear();
    }

    gemm_time call() override
    {
        // A slow or busy device takes longer than a device may usually be silent.
        const auto work =
            d_device->expect(d_call.shape.operations(d_data.work().type) / 2);
        const auto events =
            d_held ? d_kernel->enqueue_held(d_call) : d_kernel->enqueue(d_call);
        d_device->finish(d_queue);
        auto all = events.prepare;
        all.insert(all.end(), events.multiply.begin(), events.multiply.end());
        const double whole = span_of(*d_device, all);
        // CLBlast's last command may be a copy.
        return { whole,
                 d_tells_last_alone ? whole : span_of(*d_device, events.multiply) };
    }

    void clear() override
    {
        const auto c = d_data.empty_c();
        d_queue.enqueueWriteBuffer(d_call.c.buffer, CL_TRUE, 0, c.size(), c.data());
    }

    std::vector<std::uint8_t> result() override
    {
        std::vector<std::uint8_t> c(d_data.c_bytes());
        d_queue.enqueueReadBuffer(d_call.c.buffer, CL_TRUE, 0, c.size(), c.data());
        return c;
    }

private:
    const gemm_data& d_data;
    std::shared_ptr<context> d_device;
    cl::CommandQueue d_queue;
    bool d_held, d_tells_last_alone;
    std::shared_ptr<device_matrices> d_matrices;
    std::unique_ptr<gemm_kernel> d_kernel;
    gemm_device_call d_call;
};

} // namespace

std::vector<gemm_entry> device_gemm_entries(const std::shared_ptr<context>& device)
{
    const auto shared = std::make_shared<shared_matrices>(device);
    std::vector<gemm_entry> entries;
    for (const auto& variant : gemm_variants()) {
        if (variant.ladder == "host" || !variant.fits(device->device()))
            continue;
        const auto add = [&](const std::string& name,
                             bool held,
                             gemm_precision precision = gemm_precision::exact) {
            entries.push_back({ name,
                                variant.ladder,
                                held,
                                [shared, variant = variant.name, held, precision](
                                    const gemm_data& data) {
                                    return std::make_unique<on_device>(
                                        *shared, variant, held, precision, data);
                                },
                                precision });
        };
        add(variant.name, false);
        if (variant.name == "cpu_tile")
            add(variant.name + ", B held", true);
        if (variant.min_compute_capability > 0)
            for (const auto precision : { gemm_precision::tf32, gemm_precision::half })
                add(variant.name + ", " + precision_name(precision), false, precision);
    }
    return entries;
}

} // namespace cldsp::bench
