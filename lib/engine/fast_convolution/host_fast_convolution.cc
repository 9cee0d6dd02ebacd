/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/host_fast_convolution.h"

#include "fast_convolution/host_fast_convolution_bank.h"

#include <cldsp/errors.h>

#include <string>
#include <utility>

namespace cldsp {

namespace {

//! A bank of one channel as a filter.
class fast_convolution_fir final : public host_fir
{
public:
    fast_convolution_fir(const overlap_save_method& method,
                         const fir_setup& setup,
                         std::size_t rows,
                         double accuracy)
        : d_bank(method, { setup }, rows, accuracy, nullptr), d_taps(setup.taps())
    {
    }

    void configure(const fir_setup& setup) override
    {
        d_bank.configure(0, setup);
        d_taps = setup.taps();
    }
    std::string variant_name() const override { return d_bank.variant_name(); }

protected:
    void compute(const fir_call& call, host_fir_scratch&) override
    {
        std::complex<float>* out = call.out;
        d_bank.run({ call.in, d_taps - 1, &out, call.outputs, &call.phase });
    }

private:
    host_fast_convolution d_bank;
    std::size_t d_taps;
};

const overlap_save_method& method_of(const std::string& variant)
{
    const auto* method = find_overlap_save_method(variant);
    if (!method) {
        std::string known;
        for (const auto& m : overlap_save_methods())
            known += m.name + ", ";
        throw_invalid("variant",
                      "'" + variant + "'",
                      known + "or auto for fast convolution on the host");
    }
    return *method;
}

} // namespace

std::unique_ptr<fir_executor> make_host_fast_convolution(const std::string& variant,
                                                         const fir_setup& setup,
                                                         std::size_t rows,
                                                         double accuracy)
{
    return std::make_unique<fast_convolution_fir>(
        method_of(variant), setup, rows, accuracy);
}

std::unique_ptr<bank_executor>
make_host_fast_convolution_bank(const std::string& variant,
                                const std::vector<fir_setup>& setups,
                                std::size_t rows,
                                double accuracy,
                                std::shared_ptr<thread_pool> pool)
{
    return std::make_unique<host_fast_convolution>(
        method_of(variant), setups, rows, accuracy, std::move(pool));
}

} // namespace cldsp
