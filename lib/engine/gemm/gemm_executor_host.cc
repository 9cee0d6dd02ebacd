/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "base/call_statistics.h"
#include "gemm/gemm_executor.h"
#include "gemm/host_gemm.h"


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
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }

private:
    template <class Action>
    void timed(const gemm_call& call, const Action& action)
    {
        d_sums.time_call(call.shape.m * call.shape.n, action);
    }

    host_gemm d_gemm;
    call_statistics d_sums;
};

} // namespace

std::unique_ptr<gemm_executor> make_host_gemm(gemm_type type)
{
    return std::make_unique<host_executor>(type);
}

} // namespace cldsp
