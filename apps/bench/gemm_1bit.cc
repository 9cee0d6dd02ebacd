/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "bench/products.h"

#include "matrices/gemm_1bit_product.h"

#include <chrono>
#include <limits>
#include <memory>
#include <stdexcept>

namespace cldsp::app {

using namespace cldsp::bench;

namespace {

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
    //! The sums are whole numbers, so that a result is either right or wrong.
    double error() override
    {
        d_product.clear();
        call();
        const double infinity = std::numeric_limits<double>::infinity();
        return d_product.wrong() ? infinity : -infinity;
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

} // namespace

bench_table measure_gemm_1bit(bench_session& session, std::size_t rows_and_columns)
{
    gemm_1bit_size size;
    size.items = size.codes = rows_and_columns;
    size.bits = (rows_and_columns + 7) / 8 * 8; // codes are whole bytes
    auto table = product_table("G3",
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
    for (const auto& device : session.wish().devices)
        for (const auto& variant : gemm_1bit_variants())
            if (variant.ladder == (device.is_host() ? "host" : "production") &&
                variant.fits(session.registry().lowered(device)))
                add(device.id(), variant.name);
    if (session.wish().automatic)
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

} // namespace cldsp::app
