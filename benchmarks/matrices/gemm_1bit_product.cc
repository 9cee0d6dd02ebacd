// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes items and codes, and counts wrong correlations.

#include "matrices/gemm_1bit_product.h"

#include "gemm_1bit/gemm_1bit_executor.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "opencl/commands.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <random>

namespace cldsp::bench {

namespace {

gemm_options options_of(const std::string& device, const std::string& variant)
{
    gemm_options options;
    options.device = device;
    options.variant = variant;
    return options;
}

} // namespace

gemm_1bit_data::gemm_1bit_data(const gemm_1bit_size& size) : d_size(size)
{
    std::mt19937 random(1);
    const auto fill = [&](std::vector<std::uint8_t>& to) {
        for (auto& byte : to)
            byte = static_cast<std::uint8_t>(random() >> 11);
    };
    const std::size_t bytes = size.bits / 8;
    d_items.resize(size.items * bytes);
    fill(d_items);
    d_codes.assign(size.codes, std::vector<std::uint8_t>(bytes));
    for (auto& code : d_codes)
        fill(code);
}

std::size_t gemm_1bit_data::wrong(const std::vector<std::int32_t>& correlations) const
{
    const std::size_t bytes = d_size.bits / 8;
    std::mt19937 random(2);
    std::size_t count = 0;
    for (int n = 0; n < 10000; n++) {
        const std::size_t i = random() % d_size.items;
        const std::size_t j = random() % d_size.codes;
        auto expected = static_cast<std::int32_t>(d_size.bits);
        for (std::size_t k = 0; k < bytes; k++)
            expected -=
                2 * static_cast<std::int32_t>(
                        std::bitset<8>(d_items[i * bytes + k] ^ d_codes[j][k]).count());
        count += correlations[i * d_size.codes + j] != expected;
    }
    return count;
}

gemm_1bit_product::gemm_1bit_product(const gemm_1bit_data& data,
                                     const std::string& device,
                                     const std::string& variant,
                                     context_registry& registry)
    : d_data(data),
      d_engine(data.codes(),
               data.size().bits,
               data.size().items,
               options_of(device, variant),
               registry),
      d_out(data.size().items * data.size().codes)
{
}

double gemm_1bit_product::kernel_seconds() const
{
    const auto s = d_engine.statistics();
    return s.kernel_time * static_cast<double>(s.calls);
}

void gemm_1bit_product::clear()
{
    std::fill(d_out.begin(), d_out.end(), std::numeric_limits<std::int32_t>::min());
}

namespace {

constexpr std::int32_t no_correlation = std::numeric_limits<std::int32_t>::min();

gemm_1bit_codes packed(const gemm_1bit_data& data)
{
    gemm_1bit_codes codes;
    codes.bits = data.size().bits;
    codes.count = data.size().codes;
    for (const auto& code : data.codes())
        codes.bytes.insert(codes.bytes.end(), code.begin(), code.end());
    return codes;
}

} // namespace

struct resident_gemm_1bit::on_device {
    on_device(const gemm_1bit_data& data,
              const std::string& variant,
              const std::shared_ptr<context>& device_)
        : device(device_),
          queue(device->make_queue()),
          kernel(make_gemm_1bit_kernel(variant, { device, queue, data.size().bits, {} })),
          items(device->cl_context(),
                CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                data.items().size(),
                const_cast<std::uint8_t*>(data.items().data())),
          out_bytes(data.size().items * data.size().codes * sizeof(std::int32_t)),
          out(device->cl_context(), CL_MEM_READ_WRITE, out_bytes)
    {
        kernel->set_codes(packed(data));
    }

    std::shared_ptr<context> device;
    device_queue queue;
    std::unique_ptr<gemm_1bit_kernel> kernel;
    cl::Buffer items;
    std::size_t out_bytes;
    cl::Buffer out;
};

resident_gemm_1bit::resident_gemm_1bit(const gemm_1bit_data& data,
                                       const std::string& variant,
                                       const std::shared_ptr<context>& device)
    : d_data(data), d_on_device(std::make_unique<on_device>(data, variant, device))
{
}

resident_gemm_1bit::~resident_gemm_1bit() = default;

void resident_gemm_1bit::call()
{
    auto& d = *d_on_device;
    // A slow or busy device takes longer than a device may usually be silent.
    const auto work = d.device->expect(d_data.size().operations() / 2);
    std::vector<cl::Event> events;
    d.kernel->enqueue(
        { { d.items, 0 }, d_data.size().items, { d.out, 0 }, d_data.size().codes },
        events);
    d.device->finish(d.queue);
    d_kernel_seconds += event_seconds(*d.device, events.back());
    time_spans all(*d.device);
    for (const auto& event : events)
        all.add(event);
    d_seconds += all.seconds();
}

void resident_gemm_1bit::clear()
{
    auto& d = *d_on_device;
    d.queue.enqueueFillBuffer(d.out, no_correlation, 0, d.out_bytes);
    d.queue.finish();
}

std::size_t resident_gemm_1bit::wrong() const
{
    auto& d = *d_on_device;
    std::vector<std::int32_t> result(d.out_bytes / sizeof(std::int32_t));
    d.queue.enqueueReadBuffer(d.out, CL_TRUE, 0, d.out_bytes, result.data());
    return d_data.wrong(result);
}

} // namespace cldsp::bench
