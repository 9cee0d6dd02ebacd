/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "gemm_executor.h"
#include "host_gemm.h"

#include <chrono>

namespace cldsp {

namespace {

class host_executor final : public gemm_executor
{
public:
    explicit host_executor(gemm_type type) : d_gemm(type) {}

    void multiply(const gemm_call& call) override
    {
        timed(call, [&] {
            d_gemm.multiply(call.shape, call.alpha, call.a, call.b, call.beta, call.c);
        });
    }
    void hold_b(std::size_t k, std::size_t n, const_gemm_matrix b) override
    {
        d_gemm.hold_b(k, n, b);
    }
    void multiply_held(const gemm_call& call) override
    {
        timed(call, [&] {
            d_gemm.multiply_held(call.shape.m, call.alpha, call.a, call.beta, call.c);
        });
    }
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return "simd"; }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override
    {
        run_statistics result = d_sums;
        if (result.calls)
            result.kernel_time /= static_cast<double>(result.calls);
        return result;
    }

private:
    template <class Action>
    void timed(const gemm_call& call, const Action& action)
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        action();
        d_sums.kernel_time += std::chrono::duration<double>(clock::now() - start).count();
        ++d_sums.calls;
        d_sums.outputs += call.shape.m * call.shape.n;
    }

    host_gemm d_gemm;
    run_statistics d_sums; //!< times are sums here
};

} // namespace

std::unique_ptr<gemm_executor> make_host_gemm(gemm_type type)
{
    return std::make_unique<host_executor>(type);
}

} // namespace cldsp
