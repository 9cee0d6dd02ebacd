// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The public correlator of 1-bit sequences with codes.

#include <cldsp/gemm_1bit.h>

#include "gemm_1bit/gemm_1bit_problem.h"

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

struct gemm_1bit::implementation {
    implementation(gemm_1bit_problem problem,
                   const gemm_options& options,
                   context_registry& registry)
        : engine(std::move(problem), operation_options::of(options), registry)
    {
    }

    operation<gemm_1bit_problem> engine;

    const gemm_1bit_codes& codes() const { return engine.problem.codes; }
};

gemm_1bit::gemm_1bit(const std::vector<std::vector<std::uint8_t>>& codes,
                     std::size_t bits,
                     std::size_t typical_items,
                     const gemm_options& options,
                     context_registry& registry)
{
    if (typical_items == 0)
        throw_invalid("typical_items", "0", "1 or more");
    gemm_precision_of(options.precision); // has to be known, and changes nothing
    d_impl = std::make_unique<implementation>(
        gemm_1bit_problem(checked_codes(codes, bits), typical_items), options, registry);
}

gemm_1bit::~gemm_1bit() = default;
gemm_1bit::gemm_1bit(gemm_1bit&&) noexcept = default;
gemm_1bit& gemm_1bit::operator=(gemm_1bit&&) noexcept = default;

void gemm_1bit::correlate(span<const std::uint8_t> items, span<std::int32_t> correlations)
{
    const auto& codes = d_impl->codes();
    const std::size_t bytes = codes.bytes_each();
    const std::size_t count = items.size() / bytes;
    if (items.size() % bytes != 0)
        throw_invalid("items",
                      std::to_string(items.size()) + " bytes",
                      "a multiple of " + std::to_string(bytes));
    if (correlations.size() != count * codes.count)
        throw_invalid("correlations",
                      std::to_string(correlations.size()) + " values",
                      std::to_string(count * codes.count) + ", as many as codes for "
                                                            "each item");
    if (count == 0)
        return;
    d_impl->engine.run([&](gemm_1bit_executor& executor) {
        executor.run(items.data(), count, correlations.data());
    });
}

void gemm_1bit::set_codes(const std::vector<std::vector<std::uint8_t>>& codes)
{
    auto& present = d_impl->engine.problem.codes;
    if (codes.size() != present.count)
        throw_invalid("codes",
                      std::to_string(codes.size()) + " of them",
                      std::to_string(present.count) + ", as many as before");
    present = checked_codes(codes, present.bits);
    d_impl->engine.run(
        [&](gemm_1bit_executor& executor) { executor.set_codes(present); });
}

void gemm_1bit::set_stream_memory(memory_region items, memory_region correlations)
{
    d_impl->engine.run([&](gemm_1bit_executor& executor) {
        executor.set_stream_memory(items, correlations);
    });
}

std::size_t gemm_1bit::bits() const { return d_impl->codes().bits; }
std::size_t gemm_1bit::codes() const { return d_impl->codes().count; }
std::string gemm_1bit::algorithm_name() const { return gemm_1bit_problem::algorithm; }
std::string gemm_1bit::device_name() const { return d_impl->engine.device_name(); }
std::string gemm_1bit::variant_name() const { return d_impl->engine.variant_name(); }
std::string gemm_1bit::transfer_name() const { return d_impl->engine.transfer_name(); }
std::string gemm_1bit::plan() const { return chosen().text(); }
const chosen_plan& gemm_1bit::chosen() const { return d_impl->engine.plan(); }
run_statistics gemm_1bit::statistics() const { return d_impl->engine.statistics(); }
bool gemm_1bit::fell_back() const { return d_impl->engine.fell_back(); }

} // namespace cldsp
