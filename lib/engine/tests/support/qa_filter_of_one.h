// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A bank of one channel, called like a single filter.

#pragma once

#include "direct/opencl_direct.h"
#include "fast_convolution/host_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/overlap_save_method.h"
#include "freq_xlating/cost_model.h"

#include <cldsp/context.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A bank of one channel, called like a single filter.
class filter_of_one
{
public:
    filter_of_one(std::unique_ptr<filter_executor> bank, const filter_channel& channel)
        : d_bank(std::move(bank)), d_taps(channel.taps())
    {
    }

    void configure(const filter_channel& channel)
    {
        d_bank->configure(0, channel);
        d_taps = channel.taps();
    }
    void run(const fir_call& call) { run_one(*d_bank, call, d_taps); }
    void set_stream_memory(memory_region in, memory_region out)
    {
        d_bank->set_stream_memory(in, out);
    }
    std::string device_name() const { return d_bank->device_name(); }
    std::string variant_name() const { return d_bank->variant_name(); }
    std::string transfer_name() const { return d_bank->transfer_name(); }
    run_statistics statistics() const { return d_bank->statistics(); }

private:
    std::unique_ptr<filter_executor> d_bank;
    std::size_t d_taps;
};

inline std::unique_ptr<filter_of_one> make_opencl_fir(std::shared_ptr<context> device,
                                                      const std::string& variant,
                                                      const std::string& transfer,
                                                      const filter_channel& channel,
                                                      const tuning_values& tuned = {})
{
    return std::make_unique<filter_of_one>(
        make_opencl_direct(std::move(device),
                           variant,
                           transfer,
                           { channel },
                           [&](const filter_channel&) { return tuned; }),
        channel);
}

inline std::unique_ptr<filter_of_one>
make_opencl_fast_convolution(std::shared_ptr<context> device,
                             const std::string& variant,
                             const std::string& transfer,
                             const filter_channel& channel,
                             double accuracy,
                             std::size_t ifft_size = 0,
                             tensor_mode mode = tensor_mode::native)
{
    return std::make_unique<filter_of_one>(
        make_opencl_fast_convolution(std::move(device),
                                     variant,
                                     transfer,
                                     std::vector<filter_channel>{ channel },
                                     accuracy,
                                     ifft_size,
                                     {},
                                     mode),
        channel);
}

//! The costs that the cost model predicts for the machine on which its constants were
//! measured.
inline fast_convolution_costs model_costs(const std::vector<filter_channel>& channels)
{
    plan_shape shape;
    shape.input = channels.front().problem.input;
    shape.taps = channels.front().taps();
    shape.decimation = channels.front().problem.decimation;
    shape.real_taps = channels.front().real_taps;
    shape.channels = channels.size();
    return predicted_costs(shape, host_rates());
}

inline std::unique_ptr<filter_of_one>
make_host_fast_convolution(const std::string& variant,
                           const filter_channel& channel,
                           std::size_t ifft_size,
                           double accuracy)
{
    return std::make_unique<filter_of_one>(
        make_host_fast_convolution(variant,
                                   std::vector<filter_channel>{ channel },
                                   ifft_size,
                                   accuracy,
                                   std::make_shared<thread_pool>(1),
                                   model_costs({ channel })),
        channel);
}

} // namespace cldsp
