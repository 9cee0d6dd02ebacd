// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A 1-bit product with random codes, as something that can be timed.

#pragma once

#include <cldsp/gemm_1bit.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

//! Sizes of a 1-bit product; the bits are a multiple of 8.
struct gemm_1bit_size {
    std::size_t items = 4096, codes = 4096, bits = 4096;

    //! The operations of the product, two for each pair of bits.
    double operations() const
    {
        return 2.0 * static_cast<double>(items) * static_cast<double>(codes) *
               static_cast<double>(bits);
    }
};

//! Random items and codes, the same for all candidates.
class gemm_1bit_data
{
public:
    explicit gemm_1bit_data(const gemm_1bit_size& size);

    const gemm_1bit_size& size() const { return d_size; }
    const std::vector<std::uint8_t>& items() const { return d_items; }
    const std::vector<std::vector<std::uint8_t>>& codes() const { return d_codes; }
    //! The number of wrong values among some checked correlations.
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
    //! The seconds of computing in all calls so far, by the device's clock; for the host,
    //! by the host's clock.
    double kernel_seconds() const;
    //! Fills the correlations with a value that no correlation has, to check the next
    //! call.
    void clear();
    //! The number of wrong values among some correlations of the latest call.
    std::size_t wrong() const { return d_data.wrong(d_out); }
    const gemm_1bit& engine() const { return d_engine; }

private:
    const gemm_1bit_data& d_data;
    gemm_1bit d_engine;
    std::vector<std::int32_t> d_out;
};

//! A kernel whose items, codes and correlations stay on an OpenCL device.
class resident_gemm_1bit
{
public:
    //! \param variant see gemm_1bit_variants(). \throws opencl_error
    resident_gemm_1bit(const gemm_1bit_data& data,
                       const std::string& variant,
                       const std::shared_ptr<context>& device);
    ~resident_gemm_1bit();

    void call();
    //! The seconds of all kernels in all calls so far, that which packs items included.
    double seconds() const { return d_seconds; }
    //! The seconds of the product alone.
    double kernel_seconds() const { return d_kernel_seconds; }
    void clear(); //!< see gemm_1bit_product
    std::size_t wrong() const;

private:
    struct on_device;

    const gemm_1bit_data& d_data;
    std::unique_ptr<on_device> d_on_device;
    double d_seconds = 0, d_kernel_seconds = 0;
};

} // namespace cldsp::bench
