/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/gemm_1bit.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cldsp::bench {

//! Sizes of a 1-bit product; the bits are a multiple of 8.
struct gemm_1bit_size {
    std::size_t items = 4096, codes = 4096, bits = 4096;

    //! Two for each pair of bits.
    double operations() const
    {
        return 2.0 * static_cast<double>(items) * static_cast<double>(codes) *
               static_cast<double>(bits);
    }
};

//! Random items and codes, the same for all that is measured.
class gemm_1bit_data
{
public:
    explicit gemm_1bit_data(const gemm_1bit_size& size);

    const gemm_1bit_size& size() const { return d_size; }
    const std::vector<std::uint8_t>& items() const { return d_items; }
    const std::vector<std::vector<std::uint8_t>>& codes() const { return d_codes; }
    //! How many of some correlations are wrong.
    std::size_t wrong(const std::vector<std::int32_t>& correlations) const;

private:
    gemm_1bit_size d_size;
    std::vector<std::uint8_t> d_items;
    std::vector<std::vector<std::uint8_t>> d_codes;
};

//! The engine on one device, ready to correlate.
class gemm_1bit_product
{
public:
    //! \param device,variant see gemm_options. \throws as gemm_1bit does
    gemm_1bit_product(const gemm_1bit_data& data,
                      const std::string& device,
                      const std::string& variant,
                      context_registry& registry);

    void call() { d_engine.correlate(d_data.items(), d_out); }
    //! Of all calls so far, by the device's clock; on the host by its own.
    double kernel_seconds() const;
    //! Makes the correlations what none is, for a check of the next call.
    void clear();
    //! How many of some correlations of the latest call are wrong.
    std::size_t wrong() const { return d_data.wrong(d_out); }
    const gemm_1bit& engine() const { return d_engine; }

private:
    const gemm_1bit_data& d_data;
    gemm_1bit d_engine;
    std::vector<std::int32_t> d_out;
};

} // namespace cldsp::bench
