/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/gemm_1bit.h>

#include "gemm_1bit/gemm_1bit_selection.h"
#include "opencl/matrix_units.h"
#include "planning/lost_device.h"

#include <cldsp/errors.h>

#include <string>
#include <utility>

namespace cldsp {

namespace {

gemm_1bit_codes checked_codes(const std::vector<std::vector<std::uint8_t>>& codes,
                              std::size_t bits)
{
    check_gemm_1bit_bits("bits", bits);
    if (codes.empty())
        throw_invalid("codes", "empty", "one code at least");
    gemm_1bit_codes checked;
    checked.bits = bits;
    checked.count = codes.size();
    checked.bytes.reserve(codes.size() * bits / 8);
    for (std::size_t i = 0; i < codes.size(); i++) {
        if (codes[i].size() != bits / 8)
            throw_invalid("codes[" + std::to_string(i) + "]",
                          std::to_string(codes[i].size()) + " bytes long",
                          std::to_string(bits / 8) + " bytes long");
        checked.bytes.insert(checked.bytes.end(), codes[i].begin(), codes[i].end());
    }
    return checked;
}

} // namespace

const std::vector<gemm_variant_info>& gemm_1bit_variants()
{
    static const auto& variants = *new std::vector<gemm_variant_info>{
        { "naive",
          "one correlation a work-item, byte by byte, summed in the output's memory",
          "desktop",
          {} },
        { "private_sum", "as naive, word by word, summed in a register", "desktop", {} },
        { "cpu_tile",
          "for CPU devices: a code in each lane of a vector, counted by carry-save "
          "adders",
          "production",
          {} },
        { "gpu_tile",
          "for GPUs: items and codes in local memory, a tile of sums in registers",
          "production",
          {} },
        { "tensor",
          "for the matrix units of NVIDIA GPUs, which multiply by a logical and",
          "production",
          {},
          min_tensor_capability },
        { "warpgroup",
          "as tensor for NVIDIA's Hopper GPUs: the units read packed blocks themselves",
          "production",
          {},
          warpgroup_capability,
          warpgroup_capability },
        { "simd",
          "on the host: a code in each lane of a vector, with its popcount or carry-save "
          "adders",
          "host",
          {} },
    };
    return variants;
}

struct gemm_1bit::implementation {
    gemm_options options;
    gemm_1bit_codes codes;
    gemm_1bit_selection chosen;

    //! Runs \p action; if the device fails, the host takes over.
    template <class F>
    void guarded(F&& action)
    {
        run_or_lose_device(action, [this](const char* why) { lose_device(why); });
    }

    void lose_device(const std::string& why)
    {
        chosen = host_gemm_1bit_instead(
            codes, tell_lost_device(options.log, chosen.executor->device_name(), why));
    }
};

gemm_1bit::gemm_1bit(const std::vector<std::vector<std::uint8_t>>& codes,
                     std::size_t bits,
                     std::size_t typical_items,
                     const gemm_options& options,
                     context_registry& registry)
    : d_impl(std::make_unique<implementation>())
{
    if (typical_items == 0)
        throw_invalid("typical_items", "0", "1 or more");
    d_impl->options = options;
    d_impl->codes = checked_codes(codes, bits);
    d_impl->chosen = select_gemm_1bit(d_impl->codes, typical_items, options, registry);
}

gemm_1bit::~gemm_1bit() = default;
gemm_1bit::gemm_1bit(gemm_1bit&&) noexcept = default;
gemm_1bit& gemm_1bit::operator=(gemm_1bit&&) noexcept = default;

void gemm_1bit::correlate(span<const std::uint8_t> items, span<std::int32_t> correlations)
{
    auto& s = *d_impl;
    const std::size_t bytes = s.codes.bytes_each();
    const std::size_t count = items.size() / bytes;
    if (items.size() % bytes != 0)
        throw_invalid("items",
                      std::to_string(items.size()) + " bytes",
                      "a multiple of " + std::to_string(bytes));
    if (correlations.size() != count * s.codes.count)
        throw_invalid("correlations",
                      std::to_string(correlations.size()) + " values",
                      std::to_string(count * s.codes.count) + ", as many as codes for "
                                                              "each item");
    if (count == 0)
        return;
    s.guarded([&] { s.chosen.executor->run(items.data(), count, correlations.data()); });
}

void gemm_1bit::set_codes(const std::vector<std::vector<std::uint8_t>>& codes)
{
    auto& s = *d_impl;
    if (codes.size() != s.codes.count)
        throw_invalid("codes",
                      std::to_string(codes.size()) + " of them",
                      std::to_string(s.codes.count) + ", as many as before");
    s.codes = checked_codes(codes, s.codes.bits);
    s.guarded([&] { s.chosen.executor->set_codes(s.codes); });
}

void gemm_1bit::set_stream_memory(memory_region items, memory_region correlations)
{
    auto& s = *d_impl;
    s.guarded([&] { s.chosen.executor->set_stream_memory(items, correlations); });
}

std::size_t gemm_1bit::bits() const { return d_impl->codes.bits; }
std::size_t gemm_1bit::codes() const { return d_impl->codes.count; }
std::string gemm_1bit::device_name() const
{
    return d_impl->chosen.executor->device_name();
}
std::string gemm_1bit::algorithm_name() const { return "popcount"; }
std::string gemm_1bit::variant_name() const
{
    return d_impl->chosen.executor->variant_name();
}
std::string gemm_1bit::transfer_name() const
{
    return d_impl->chosen.executor->transfer_name();
}
std::string gemm_1bit::plan() const { return d_impl->chosen.plan.text(); }
const chosen_plan& gemm_1bit::chosen() const { return d_impl->chosen.plan; }
run_statistics gemm_1bit::statistics() const
{
    return d_impl->chosen.executor->statistics();
}
bool gemm_1bit::fell_back() const { return d_impl->chosen.fell_back; }

} // namespace cldsp
