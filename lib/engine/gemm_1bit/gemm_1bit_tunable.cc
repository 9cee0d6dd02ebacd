/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_1bit/gemm_1bit_call.h"
#include "gemm_1bit/gemm_1bit_selection.h"
#include "gemm_1bit/gemm_1bit_tuning.h"
#include "gemm/gemm_selection.h"
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

// Correlations are between -2^30 and 2^30, so that this is never right.
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

//! A typical call with the host's correlations, which every point has to give.
struct checked_1bit_call : typical_1bit_call {
    checked_1bit_call(const gemm_1bit_codes& codes_, std::size_t items_)
        : typical_1bit_call(codes_, items_), codes(codes_), expected(items * codes.count)
    {
        make_host_gemm_1bit(codes)->run(
            in.as<const std::uint8_t>(), items, expected.data());
    }

    //! The largest difference.
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
    std::shared_ptr<const checked_1bit_call> d_call; // outlives what wraps its memory
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
        // The first call builds one of the programs.
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
    std::shared_ptr<const checked_1bit_call> d_call; // made when first needed
};

} // namespace

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
