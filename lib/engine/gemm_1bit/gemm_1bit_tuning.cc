// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The panels and blocks of codes worth trying, the tuned ones, and trials of them.

#include "gemm_1bit/gemm_1bit_tuning.h"

#include "base/arithmetic.h"
#include "gemm/gemm_problem.h"
#include "gemm_1bit/gemm_1bit_problem.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "gemm_1bit/typical_1bit_call.h"
#include "tuning/executor_tunable.h"

#include <cldsp/gemm_1bit_tunable.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace cldsp {

namespace {

gemm_1bit_codes random_codes(std::size_t count, std::size_t bits)
{
    gemm_1bit_codes codes;
    codes.bits = bits;
    codes.count = count;
    codes.bytes.resize(count * codes.bytes_each());
    std::minstd_rand random(2);
    std::generate(codes.bytes.begin(), codes.bytes.end(), [&] {
        return static_cast<std::uint8_t>(random() >> 8);
    });
    return codes;
}

struct own_codes {
    gemm_1bit_codes random;
};

//! A typical call of random codes, and the host's correlations, with which those of every
//! configuration must agree.
struct checked_1bit_call : private own_codes, typical_1bit_call {
    explicit checked_1bit_call(const gemm_shape& shape)
        : own_codes{ random_codes(shape.n, shape.k) },
          typical_1bit_call(random, shape.m),
          expected(shape.m * shape.n)
    {
        make_host_gemm_1bit(codes)->run(
            in.as<const std::uint8_t>(), items, expected.data());
    }

    //! The largest difference from the host's correlations.
    double difference() const
    {
        double largest = 0;
        const auto* got = out.as<std::int32_t>();
        for (std::size_t i = 0; i < expected.size(); i++)
            largest =
                std::max(largest, std::abs(static_cast<double>(got[i]) - expected[i]));
        return largest;
    }

    std::vector<std::int32_t> expected;
};

using gemm_1bit_tunable = executor_tunable<gemm_1bit_executor, checked_1bit_call>;

} // namespace

gemm_1bit_cpu_parameters::gemm_1bit_cpu_parameters(const device_limits& limits)
    : // The codes fill two vectors of AVX-512, but only one vector of other sets, where
      // counting needs the remaining registers.
      codes(limits.native_vector_width_float >= 16 ? 16 : 4),
      block_words(gemm_1bit_max_words),
      items(64),
      item_bits(std::size_t(1) << 22)
{
}

gemm_1bit_gpu_parameters::gemm_1bit_gpu_parameters(const device_limits& limits)
    : group_codes(16), group_items(16), each_codes(4), each_items(4), depth(16)
{
    while (!fits(limits) && group_codes * group_items > 1)
        (group_items >= group_codes ? group_items : group_codes) /= 2;
    while (!fits(limits) && depth > 2)
        depth /= 2;
}

bool gemm_1bit_gpu_parameters::fits(const device_limits& limits) const
{
    // A column of items may have one more word of padding, to avoid conflicts of memory
    // banks.
    const std::size_t words = (items() + 1 + codes()) * depth;
    return group_codes * group_items <= limits.max_work_group_size &&
           group_codes <= limits.max_work_item_sizes[0] &&
           group_items <= limits.max_work_item_sizes[1] &&
           words * sizeof(cl_uint) <= limits.local_memory;
}

parameter_table<gemm_1bit_cpu_parameters> gemm_1bit_cpu_table(const device_limits& limits,
                                                              std::size_t bits)
{
    using p = gemm_1bit_cpu_parameters;
    const std::size_t code_bytes = divide_up(bits, 64) * sizeof(cl_ulong);
    const std::size_t most = gemm_1bit_kernel::max_table_bytes(limits);
    return { { "gemm_1bit_cpu_tile", "gemm_1bit_cpu" },
             p(limits),
             { { "codes", &p::codes, { 2, 4, 8, 16 }, "CODES" },
               { "block_words",
                 &p::block_words,
                 { 32, 64, 128, 256, std::int64_t(gemm_1bit_max_words) } },
               { "items", &p::items, { 8, 16, 32, 64, 128, 512 } },
               { "item_bits",
                 &p::item_bits,
                 { 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26 } } },
             { { "a panel of codes in a buffer",
                 [=](const p& of) { return of.codes * code_bytes <= most; } } } };
}

parameter_table<gemm_1bit_gpu_parameters> gemm_1bit_gpu_table(const device_limits& limits,
                                                              std::size_t bits)
{
    using p = gemm_1bit_gpu_parameters;
    const std::vector<std::int64_t> groups{ 1, 2, 4, 8, 16, 32, 64 }, each{ 1, 2, 4, 8 };
    const std::size_t most = gemm_1bit_kernel::max_table_bytes(limits);
    return { { "gemm_1bit_gpu_tile", "gemm_1bit_gpu" },
             p(limits),
             { { "group_codes", &p::group_codes, groups, "GROUP_CODES" },
               { "group_items", &p::group_items, groups, "GROUP_ITEMS" },
               { "each_codes", &p::each_codes, each, "EACH_CODES" },
               { "each_items", &p::each_items, each, "EACH_ITEMS" },
               { "depth", &p::depth, { 2, 4, 8, 16, 32, 64 }, "DEPTH" } },
             { { "work-items and local memory of a group",
                 [limits](const p& of) { return of.fits(limits); } },
               // Beyond this, compiling takes very long, and no device has enough
               // registers.
               { "unrolled steps",
                 [](const p& of) {
                     const std::size_t sums = of.each_codes * of.each_items;
                     return sums <= 32 && sums * of.depth <= 512;
                 } },
               { "a panel of codes in a buffer", [=](const p& of) {
                    return of.codes() * divide_up(bits, 32 * of.depth) * of.depth *
                               sizeof(cl_uint) <=
                           most;
                } } } };
}

std::optional<kernel_parameters> gemm_1bit_parameters(const std::string& variant,
                                                      const device_limits& limits,
                                                      std::size_t bits)
{
    if (variant == "cpu_tile")
        return gemm_1bit_cpu_table(limits, bits).parameters();
    if (variant == "gpu_tile")
        return gemm_1bit_gpu_table(limits, bits).parameters();
    return std::nullopt;
}

tuning_problem gemm_1bit_tuning_problem(const gemm_shape& shape)
{
    return { "1-bit",
             { { "items", static_cast<double>(shape.m) },
               { "codes", static_cast<double>(shape.n) },
               { "bits", static_cast<double>(shape.k) } } };
}

const tuning_values& tuned_gemms_1bit::of(const device_info& device,
                                          const std::string& variant)
{
    return d_lookup.of(device,
                       variant,
                       gemm_1bit_tuning_problem(d_shape),
                       [&](const device_info& where) {
                           return gemm_1bit_parameters(variant, where.limits, d_shape.k);
                       });
}

std::unique_ptr<device_tunable> make_gemm_1bit_tunable(context_registry& registry,
                                                       const device_info& device,
                                                       const gemm_shape& typical,
                                                       const std::string& variant)
{
    check_gemm_shape(typical);
    check_gemm_1bit_bits("k", typical.k);
    const auto tiled = tiled_variant(variant, device);
    return std::make_unique<gemm_1bit_tunable>(
        registry, device, [&](const context& where) -> gemm_1bit_tunable::tuning {
            const auto parameters =
                *gemm_1bit_parameters(tiled, where.limits(), typical.k);
            return { parameters,
                     gemm_1bit_tuning_problem(typical),
                     parameters.chosen(where.options()),
                     [typical] {
                         return std::make_shared<const checked_1bit_call>(typical);
                     },
                     [tiled, transfer = gemm_transfer(device)](
                         const auto& made_on, const auto& call, const auto& values) {
                         return make_opencl_gemm_1bit(
                             made_on, tiled, transfer, call.codes, values);
                     },
                     [](const auto& call) { return call.difference(); },
                     0 };
        });
}

} // namespace cldsp
