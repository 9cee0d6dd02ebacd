/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "matrices/gemm_1bit_product.h"

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

} // namespace cldsp::bench
