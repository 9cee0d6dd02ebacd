/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fast_convolution/fast_convolution_bank.h"
#include "fast_convolution/opencl_fast_convolution.h"

#include <utility>

namespace cldsp {

namespace {

//! The bank of one channel as a single filter.
class fast_convolution_filter : public fir_executor
{
public:
    fast_convolution_filter(std::shared_ptr<context> device,
                            const std::string& transfer,
                            const fir_setup& setup,
                            double accuracy,
                            std::size_t rows,
                            const tuning_values& tuned)
        : d_bank(std::move(device), transfer, { setup }, accuracy, rows, tuned),
          d_taps(setup.taps())
    {
    }

    void configure(const fir_setup& setup) override
    {
        d_bank.configure(0, setup);
        d_taps = setup.taps();
    }
    void run(const fir_call& call) override
    {
        d_bank.run({ call.in, d_taps - 1, &call.out, call.outputs, &call.phase });
    }
    void set_stream_memory(memory_region in, memory_region out) override
    {
        d_bank.set_stream_memory(in, out);
    }
    std::string device_name() const override { return d_bank.device_name(); }
    std::string variant_name() const override { return d_bank.variant_name(); }
    std::string transfer_name() const override { return d_bank.transfer_name(); }
    run_statistics statistics() const override { return d_bank.statistics(); }
    bool device_is_lost() const override { return d_bank.device_is_lost(); }

private:
    fast_convolution_bank d_bank;
    std::size_t d_taps;
};

} // namespace

std::unique_ptr<fir_executor>
make_opencl_fast_convolution(std::shared_ptr<context> device,
                             const std::string& transfer,
                             const fir_setup& setup,
                             double accuracy,
                             std::size_t rows,
                             const tuning_values& tuned)
{
    return std::make_unique<fast_convolution_filter>(
        std::move(device), transfer, setup, accuracy, rows, tuned);
}

} // namespace cldsp
