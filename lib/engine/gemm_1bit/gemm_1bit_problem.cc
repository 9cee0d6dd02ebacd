// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The table of the variants of 1-bit products, and the calls by which they are measured.

#include "gemm_1bit/gemm_1bit_problem.h"

#include "base/text_stream.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <vector>

namespace cldsp {

namespace {

// The most operations of a measured call: large enough that a larger call would not
// change the winner, small enough for a slow machine.
constexpr double max_operations = 1e10;
constexpr std::size_t brief_items = 16;

double operations(const gemm_1bit_codes& codes, std::size_t items)
{
    return 2 * static_cast<double>(codes.count) * static_cast<double>(codes.bits) *
           static_cast<double>(items);
}

//! The items of a measured call.
std::size_t measured_items(const gemm_1bit_problem& problem)
{
    std::size_t items = problem.items;
    while (items > 1 && operations(problem.codes, items) > max_operations)
        items /= 2;
    return items;
}

} // namespace

const variant_table<gemm_1bit_problem>& gemm_1bit_problem::variants()
{
    static const auto& all = *new variant_table<gemm_1bit_problem>{
        &gemm_1bit_naive_variant(),    &gemm_1bit_private_sum_variant(),
        &gemm_1bit_cpu_tile_variant(), &gemm_1bit_gpu_tile_variant(),
        &gemm_1bit_tensor_variant(),   &gemm_1bit_warpgroup_variant(),
        &gemm_1bit_simd_variant(),
    };
    return all;
}

const std::vector<gemm_variant_info>& gemm_1bit_variants()
{
    static const auto& all = *new auto([] {
        std::vector<gemm_variant_info> infos;
        for (const auto* variant : gemm_1bit_problem::variants())
            infos.push_back(variant->info);
        return infos;
    }());
    return all;
}

std::unique_ptr<gemm_1bit_kernel> make_gemm_1bit_kernel(const std::string& name,
                                                        const gemm_1bit_kernel_args& args)
{
    for (const auto* variant : gemm_1bit_problem::variants())
        if (variant->name == name && !variant->host)
            return variant->make_kernel(args);
    throw_invalid("variant", "'" + name + "'", "one that runs through OpenCL");
}

operation_work gemm_1bit_problem::work() const
{
    const std::size_t measured = measured_items(*this);
    return { operations(codes, measured),
             static_cast<double>(
                 measured * (codes.bytes_each() + codes.count * sizeof(std::int32_t))),
             2 };
}

std::string gemm_1bit_problem::key() const
{
    text_stream key;
    key << "gemm_1bit codes=" << codes.count << " bits=" << codes.bits
        << " items=" << measured_items(*this);
    return key.str();
}

std::shared_ptr<const typical_1bit_call>
gemm_1bit_problem::make_trial(trial_call which) const
{
    const std::size_t measured = measured_items(*this);
    return std::make_shared<const typical_1bit_call>(
        codes, which == trial_call::brief ? std::min(brief_items, measured) : measured);
}

gemm_1bit_problem gemm_1bit_problem::of_calibration() const
{
    gemm_1bit_codes some;
    some.bits = 4096;
    some.count = 64;
    some.bytes.resize(some.count * some.bytes_each(), 0x5a);
    return { std::move(some), 64 };
}

void check_gemm_1bit_bits(const std::string& name, std::size_t bits)
{
    constexpr std::size_t most = std::size_t(1) << 30;
    if (bits < 8 || bits % 8 != 0 || bits > most)
        throw_invalid(name, std::to_string(bits), "a multiple of 8 from 8 to 2^30");
}

} // namespace cldsp
