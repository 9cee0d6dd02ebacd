/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/bank_direct.h"

#include "direct/host_fir.h"
#include "direct/opencl_fir.h"

#include <algorithm>
#include <chrono>

namespace cldsp {

namespace {

//! What both banks of single filters share: a channel's filter and its part of a call.
template <class FIR>
class bank_direct : public bank_executor
{
public:
    explicit bank_direct(const std::vector<fir_setup>& setups)
        : d_item_bytes(sample_size(setups.front().problem.input))
    {
        for (const auto& setup : setups)
            d_taps.push_back(setup.taps());
    }

    void configure(std::size_t channel, const fir_setup& setup) override
    {
        d_firs[channel]->configure(setup);
        d_taps[channel] = setup.taps();
    }
    std::string device_name() const override { return d_firs.front()->device_name(); }
    std::string variant_name() const override { return d_firs.front()->variant_name(); }
    std::string transfer_name() const override { return d_firs.front()->transfer_name(); }
    bool device_is_lost() const override
    {
        return std::any_of(d_firs.begin(), d_firs.end(), [](const auto& fir) {
            return fir->device_is_lost();
        });
    }

protected:
    //! A short filter's window begins later than the longest one's.
    fir_call call_of(std::size_t channel, const bank_call& call) const
    {
        const std::size_t later = call.past - (d_taps[channel] - 1);
        return { static_cast<const unsigned char*>(call.in) + later * d_item_bytes,
                 call.out[channel],
                 call.outputs,
                 call.phases[channel] };
    }

    std::vector<std::unique_ptr<FIR>> d_firs;

private:
    const std::size_t d_item_bytes;
    std::vector<std::size_t> d_taps;
};

class host_bank_direct final : public bank_direct<host_fir>
{
public:
    host_bank_direct(const std::string& variant,
                     const std::vector<fir_setup>& setups,
                     std::shared_ptr<thread_pool> pool,
                     seconds_of_shape alone)
        : bank_direct(setups),
          d_pool(std::move(pool)),
          d_scratch(d_pool->threads()),
          d_alone(std::move(alone))
    {
        d_shape.input = setups.front().problem.input;
        d_shape.decimation = setups.front().problem.decimation;
        d_shape.channels = setups.size();
        for (const auto& setup : setups) {
            d_firs.push_back(make_plain_host_fir(variant, setup));
            d_shape.real_taps = d_shape.real_taps && setup.real_taps;
        }
    }

    void configure(std::size_t channel, const fir_setup& setup) override
    {
        bank_direct::configure(channel, setup);
        d_shape.real_taps = d_shape.real_taps && setup.real_taps;
    }

    void run(const bank_call& call) override
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        const auto run_channel = [&](std::size_t channel, unsigned worker) {
            d_firs[channel]->run(call_of(channel, call), d_scratch[worker]);
        };
        if (is_short(call))
            for (std::size_t channel = 0; channel < d_firs.size(); channel++)
                run_channel(channel, 0);
        else
            d_pool->parallel_for(d_firs.size(), run_channel);
        d_seconds += std::chrono::duration<double>(clock::now() - start).count();
        d_calls++;
        d_outputs += call.outputs;
    }
    void set_stream_memory(memory_region) override {}
    run_statistics statistics() const override
    {
        const double seconds = d_calls ? d_seconds / static_cast<double>(d_calls) : 0;
        return { d_calls, d_outputs, seconds, 0 };
    }

private:
    //! Whether waking other threads would take longer than they would save.
    bool is_short(const bank_call& call) const
    {
        plan_shape shape = d_shape;
        shape.taps = call.past + 1;
        shape.items = call.outputs * shape.decimation;
        return d_alone(shape) < min_shared_seconds;
    }

    std::shared_ptr<thread_pool> d_pool;
    std::vector<host_fir_scratch> d_scratch; // one a thread
    const seconds_of_shape d_alone;
    plan_shape d_shape;
    std::uint64_t d_calls = 0;
    std::uint64_t d_outputs = 0;
    double d_seconds = 0;
};

class opencl_bank_direct final : public bank_direct<fir_executor>
{
public:
    opencl_bank_direct(const std::shared_ptr<context>& device,
                       const std::string& variant,
                       const std::string& transfer,
                       const std::vector<fir_setup>& setups,
                       const std::function<tuning_values(const fir_setup&)>& tuned)
        : bank_direct(setups)
    {
        for (const auto& setup : setups)
            d_firs.push_back(make_opencl_fir(device,
                                             variant,
                                             transfer,
                                             setup,
                                             tuned ? tuned(setup) : tuning_values()));
    }

    void run(const bank_call& call) override
    {
        for (std::size_t channel = 0; channel < d_firs.size(); channel++)
            d_firs[channel]->run(call_of(channel, call));
    }
    void set_stream_memory(memory_region in) override
    {
        for (auto& fir : d_firs)
            fir->set_stream_memory(in, {});
    }
    run_statistics statistics() const override
    {
        // The last channel has ended as many calls as the bank.
        run_statistics result = d_firs.back()->statistics();
        result.kernel_time = result.transfer_time = 0;
        for (const auto& fir : d_firs) {
            const auto s = fir->statistics();
            result.kernel_time += s.kernel_time;
            result.transfer_time += s.transfer_time;
        }
        return result;
    }
};

} // namespace

std::unique_ptr<bank_executor> make_host_bank_direct(const std::string& variant,
                                                     const std::vector<fir_setup>& setups,
                                                     std::shared_ptr<thread_pool> pool,
                                                     const seconds_of_shape& alone)
{
    return std::make_unique<host_bank_direct>(variant, setups, std::move(pool), alone);
}

std::unique_ptr<bank_executor>
make_opencl_bank_direct(std::shared_ptr<context> device,
                        const std::string& variant,
                        const std::string& transfer,
                        const std::vector<fir_setup>& setups,
                        const std::function<tuning_values(const fir_setup&)>& tuned)
{
    return std::make_unique<opencl_bank_direct>(device, variant, transfer, setups, tuned);
}

} // namespace cldsp
