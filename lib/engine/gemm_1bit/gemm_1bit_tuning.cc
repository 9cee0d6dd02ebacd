/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_tuning.h"

#include "base/arithmetic.h"
#include "gemm/gemm_selection.h"
#include "gemm_1bit/gemm_1bit_selection.h"
#include "gemm_1bit/opencl_gemm_1bit.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/gemm_1bit_tunable.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

std::int64_t value(std::size_t of) { return static_cast<std::int64_t>(of); }

tuning_values suggested_values(const gemm_1bit_place& place)
{
    const auto& limits = place.device.limits;
    return place.is_cpu_tile() ? gemm_1bit_cpu_parameters(limits).values()
                               : gemm_1bit_gpu_parameters(limits).values();
}

tuning_constraint panel_fits(const device_limits& limits,
                             std::function<std::size_t(const tuning_values&)> bytes)
{
    return { "a panel of codes in a buffer",
             [most = gemm_1bit_kernel::max_table_bytes(limits), bytes = std::move(bytes)](
                 const tuning_point& p) { return bytes(p.by_name()) <= most; } };
}

tuning_space cpu_space(const device_limits& limits, std::size_t bits)
{
    const std::size_t code_bytes = divide_up(bits, 64) * sizeof(cl_ulong);
    return tuning_space(
        { { "codes", { 2, 4, 8, 16 } },
          { "block_words", { 32, 64, 128, 256, value(gemm_1bit_max_words) } },
          { "items", { 8, 16, 32, 64, 128, 512 } },
          { "item_bits", { 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26 } } },
        { panel_fits(limits, [code_bytes](const tuning_values& values) {
            return size_of(values, "codes") * code_bytes;
        }) });
}

tuning_space
gpu_space(const tuning_values& suggested, const device_limits& limits, std::size_t bits)
{
    const std::vector<std::int64_t> groups{ 1, 2, 4, 8, 16, 32, 64 };
    const auto each = std::set<std::int64_t>{ 1, 2, 4, 8 };
    return tuning_space(
        { { "group_codes", groups },
          { "group_items", groups },
          with("each_codes", each, suggested.at("each_codes")),
          with("each_items", each, suggested.at("each_items")),
          { "depth", { 2, 4, 8, 16, 32, 64 } } },
        { { "work-items and local memory of a group",
            [limits](const tuning_point& p) {
                return gemm_1bit_gpu_parameters(p.by_name()).fits(limits);
            } },
          // Beyond this, compiling takes very long, and no device has enough registers.
          { "unrolled steps",
            [](const tuning_point& p) {
                const auto sums = p["each_codes"] * p["each_items"];
                return sums <= 32 && sums * p["depth"] <= 512;
            } },
          panel_fits(limits, [bits](const tuning_values& values) {
              const gemm_1bit_gpu_parameters g(values);
              return g.codes() * divide_up(bits, 32 * g.depth) * g.depth *
                     sizeof(cl_uint);
          }) });
}

// No correlation has this value: they all lie between -2^30 and 2^30.
constexpr std::int32_t no_correlation = INT32_MIN;

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

//! A typical call, and the host's correlations, with which those of every point must
//! agree.
struct checked_1bit_call : typical_1bit_call {
    checked_1bit_call(const gemm_1bit_codes& codes_, std::size_t items_)
        : typical_1bit_call(codes_, items_), codes(codes_), expected(items * codes.count)
    {
        make_host_gemm_1bit(codes)->run(
            in.as<const std::uint8_t>(), items, expected.data());
    }

    //! The largest difference from the host's correlations.
    double error() const
    {
        double largest = 0;
        const auto* got = out.as<std::int32_t>();
        for (std::size_t i = 0; i < expected.size(); i++)
            largest =
                std::max(largest, std::abs(static_cast<double>(got[i]) - expected[i]));
        return largest;
    }

    gemm_1bit_codes codes;
    std::vector<std::int32_t> expected;
};

class gemm_1bit_tuning_trial final : public call_trial
{
public:
    gemm_1bit_tuning_trial(std::unique_ptr<gemm_1bit_executor> executor,
                           std::shared_ptr<const checked_1bit_call> call,
                           bool whole_calls)
        : call_trial(whole_calls),
          d_call(std::move(call)),
          d_executor(std::move(executor))
    {
        d_executor->set_stream_memory(d_call->in.region(), d_call->out.region());
    }

protected:
    void spoil_output() override
    {
        std::fill_n(
            d_call->out.as<std::int32_t>(), d_call->expected.size(), no_correlation);
    }
    void call() override { d_call->run(*d_executor); }
    double error() const override { return d_call->error(); }
    run_statistics statistics() const override { return d_executor->statistics(); }

private:
    std::shared_ptr<const checked_1bit_call> d_call; // outlives the executor, which uses
                                                     // its memory
    std::unique_ptr<gemm_1bit_executor> d_executor;
    kept_if_lost<gemm_1bit_executor, typical_1bit_call> d_kept{ *d_executor, *d_call };
};

class gemm_1bit_tunable final : public kernel_tunable
{
public:
    gemm_1bit_tunable(context_registry& registry,
                      const device_info& device,
                      const gemm_shape& shape,
                      const std::string& variant)
        : kernel_tunable(registry, device),
          d_shape(shape),
          d_variant(variant),
          d_transfer(gemm_transfer(device))
    {
        const gemm_1bit_place place(variant, *trials());
        describe(place,
                 gemm_1bit_tuning_problem(shape),
                 gemm_1bit_tuning_space(place, shape.k),
                 gemm_1bit_values(place, shape.k),
                 0);
    }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        return std::make_unique<gemm_1bit_tuning_trial>(
            executor(trials(), point), call(), is_cpu());
    }

    void adopt(const tuning_point& point) override
    {
        // A first call is made here, because it builds one of the programs.
        call()->run(*executor(adopting(), point));
    }

private:
    const std::shared_ptr<const checked_1bit_call>& call()
    {
        if (!d_call || d_call->is_kept())
            d_call = std::make_shared<const checked_1bit_call>(
                random_codes(d_shape.n, d_shape.k), d_shape.m);
        return d_call;
    }

    std::unique_ptr<gemm_1bit_executor> executor(std::shared_ptr<context> device,
                                                 const tuning_point& point)
    {
        return make_opencl_gemm_1bit(
            std::move(device), d_variant, d_transfer, call()->codes, point.by_name());
    }

    gemm_shape d_shape;
    std::string d_variant, d_transfer;
    std::shared_ptr<const checked_1bit_call> d_call; // made when it is first needed
};

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

gemm_1bit_cpu_parameters::gemm_1bit_cpu_parameters(const tuning_values& values)
    : codes(size_of(values, "codes")),
      block_words(size_of(values, "block_words")),
      items(size_of(values, "items")),
      item_bits(size_of(values, "item_bits"))
{
}

tuning_values gemm_1bit_cpu_parameters::values() const
{
    return { { "codes", value(codes) },
             { "block_words", value(block_words) },
             { "items", value(items) },
             { "item_bits", value(item_bits) } };
}

gemm_1bit_gpu_parameters::gemm_1bit_gpu_parameters(const device_limits& limits)
    : group_codes(16), group_items(16), each_codes(4), each_items(4), depth(16)
{
    while (!fits(limits) && group_codes * group_items > 1)
        (group_items >= group_codes ? group_items : group_codes) /= 2;
    while (!fits(limits) && depth > 2)
        depth /= 2;
}

gemm_1bit_gpu_parameters::gemm_1bit_gpu_parameters(const tuning_values& values)
    : group_codes(size_of(values, "group_codes")),
      group_items(size_of(values, "group_items")),
      each_codes(size_of(values, "each_codes")),
      each_items(size_of(values, "each_items")),
      depth(size_of(values, "depth"))
{
}

tuning_values gemm_1bit_gpu_parameters::values() const
{
    return { { "group_codes", value(group_codes) },
             { "group_items", value(group_items) },
             { "each_codes", value(each_codes) },
             { "each_items", value(each_items) },
             { "depth", value(depth) } };
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

tuning_space gemm_1bit_tuning_space(const gemm_1bit_place& place, std::size_t bits)
{
    const auto& limits = place.device.limits;
    return place.is_cpu_tile() ? cpu_space(limits, bits)
                               : gpu_space(suggested_values(place), limits, bits);
}

tuning_problem gemm_1bit_tuning_problem(const gemm_shape& shape)
{
    return { "1-bit",
             { { "items", static_cast<double>(shape.m) },
               { "codes", static_cast<double>(shape.n) },
               { "bits", static_cast<double>(shape.k) } } };
}

tuning_values gemm_1bit_values(const gemm_1bit_place& place,
                               std::size_t bits,
                               const tuning_values& tuned)
{
    return chosen_values(
        suggested_values(place), place, tuned, [&](const tuning_values&) {
            return gemm_1bit_tuning_space(place, bits);
        });
}

tuning_values
tuned_gemm_1bit_values(wisdom& all, const gemm_1bit_place& place, const gemm_shape& shape)
{
    return recalled_values(
        all, place, gemm_1bit_tuning_problem(shape), [&](const tuning_values&) {
            return gemm_1bit_tuning_space(place, shape.k);
        });
}

const tuning_values& tuned_gemms_1bit::of(const device_info& device,
                                          const std::string& variant)
{
    return d_lookup.of(
        device,
        variant,
        gemm_1bit_tuning_problem(d_shape).text(),
        [&](wisdom& all, const device_info& where, const context_options& with) {
            return is_tiled(variant)
                       ? tuned_gemm_1bit_values(all, { variant, where, with }, d_shape)
                       : tuning_values();
        });
}

std::unique_ptr<device_tunable> make_gemm_1bit_tunable(context_registry& registry,
                                                       const device_info& device,
                                                       const gemm_shape& typical,
                                                       const std::string& variant)
{
    check_gemm_shape(typical);
    check_gemm_1bit_bits("k", typical.k);
    return std::make_unique<gemm_1bit_tunable>(
        registry, device, typical, tiled_variant(variant, device));
}

} // namespace cldsp
