// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Workloads of 1-bit products, by every variant of each device.

#include "bench/products.h"

#include "matrices/gemm_1bit_product.h"

#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>

namespace cldsp::app {

using namespace cldsp::bench;

namespace {

//! The error in dB: the sums are whole numbers, so that a result is right or wrong.
double exact_or_wrong(std::size_t wrong)
{
    const double infinity = std::numeric_limits<double>::infinity();
    return wrong ? infinity : -infinity;
}

class bit_product final : public product
{
public:
    bit_product(const std::string& device,
                const std::string& variant,
                const gemm_1bit_data& data,
                context_registry& registry)
        : product(device, variant, data.size().items * data.size().codes),
          d_explicit(device != "auto"),
          d_product(data, device, variant, registry)
    {
    }
    double bound_db() const override { return 0; }
    void call() override
    {
        const auto start = std::chrono::steady_clock::now();
        d_product.call();
        d_seconds +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
                .count();
        if (d_explicit && d_product.engine().fell_back())
            throw std::runtime_error(d_product.engine().plan());
    }
    std::optional<double> own_seconds() const override { return d_seconds; }
    double kernel_seconds() const override { return d_product.kernel_seconds(); }
    std::string note() const override { return d_product.engine().plan(); }
    std::optional<chosen_plan> plan() const override
    {
        return d_product.engine().chosen();
    }
    double error() override
    {
        d_product.clear();
        call();
        return exact_or_wrong(d_product.wrong());
    }

private:
    bool d_explicit; // the device was named
    gemm_1bit_product d_product;
    double d_seconds = 0;
};

//! A device's roofline with the rate of operations on bits.
roofline bit_roof(roofline roof)
{
    // Each pair of bits counts as two operations: the product, and its addition to the
    // sum.
    roof.fp32 = 2 * 32 * roof.popcount;
    return roof;
}

//! The product of items and codes that lie on the device.
class resident_bit_product final : public product
{
public:
    resident_bit_product(const std::string& device,
                         const std::string& variant,
                         const gemm_1bit_data& data,
                         const std::shared_ptr<context>& opened)
        : product(device, variant, data.size().items * data.size().codes),
          d_product(data, variant, opened)
    {
    }
    double bound_db() const override { return 0; }
    void call() override { d_product.call(); }
    std::optional<double> own_seconds() const override { return d_product.seconds(); }
    double kernel_seconds() const override { return d_product.kernel_seconds(); }
    double error() override
    {
        d_product.clear();
        call();
        return exact_or_wrong(d_product.wrong());
    }

private:
    resident_gemm_1bit d_product;
};

bench_table measure_gemm_1bit(bench_session& session, bool resident)
{
    constexpr std::size_t usual = 4096;
    const auto& wish = session.wish();
    const auto sizes =
        wish.sizes_of({ usual, usual, usual },
                      { quick_matrix_size, quick_matrix_size, quick_matrix_size });
    gemm_1bit_size size;
    size.items = sizes[0];
    size.codes = sizes[1];
    size.bits = (sizes[2] + 7) / 8 * 8; // codes are whole bytes
    auto table = product_table(resident ? "G3_resident" : "G3",
                               std::to_string(size.items) + " items, " +
                                   std::to_string(size.codes) + " codes, " +
                                   std::to_string(size.bits) + " bits",
                               "op",
                               size.operations(),
                               size.items * size.codes);
    const gemm_1bit_data data(size);
    product_rows rows(session, table);
    const auto add = [&](const std::string& device, const std::string& variant) {
        rows.add(device, variant, [&] {
            return std::make_unique<bit_product>(
                device, variant, data, session.registry());
        });
    };
    const auto takes_part = [&](const device_info& device, const auto& variant) {
        if (device.is_host() || variant.ladder == "host")
            return device.is_host() && variant.ladder == "host" && !resident;
        return (wish.all_kernels || variant.ladder == "production") &&
               variant.fits(session.registry().lowered(device));
    };
    for (const auto& device : wish.devices)
        for (const auto& variant : gemm_1bit_variants()) {
            if (!takes_part(device, variant))
                continue;
            if (!resident)
                add(device.id(), variant.name);
            else
                rows.add(device.id(), variant.name, [&] {
                    return std::make_unique<resident_bit_product>(
                        device.id(), variant.name, data, session.registry().get(device));
                });
        }
    if (wish.automatic && !resident)
        add("auto", "auto");

    kernel_work once;
    once.operations = size.operations();
    const auto items = static_cast<double>(size.items);
    const auto codes = static_cast<double>(size.codes);
    const auto bits = static_cast<double>(size.bits);
    once.bytes = (items + codes) * bits / 8 + items * codes * sizeof(std::int32_t);
    rows.measure_all(once, bit_roof);
    return table;
}

} // namespace

std::vector<bench_workload> gemm_1bit_workloads()
{
    const auto measure = [](bool resident) {
        return [resident](bench_session& session) {
            return measure_gemm_1bit(session, resident);
        };
    };
    return {
        { "G3",
          "1-bit correlations of 4096 items with 4096 codes of 4096 bits",
          true,
          measure(false) },
        { "G3_resident",
          "the same, with all of them on the device",
          false,
          measure(true) },
    };
}

} // namespace cldsp::app
