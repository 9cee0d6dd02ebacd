// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Shares the channels of a bank among threads by the direct algorithm.

#include "direct/host_direct.h"

#include "base/call_statistics.h"

#include <utility>

namespace cldsp {

namespace {

class host_direct final : public filter_executor
{
public:
    host_direct(const std::string& variant,
                const std::vector<filter_channel>& channels,
                std::shared_ptr<thread_pool> pool,
                host_costs costs)
        : d_item_bytes(sample_size(channels.front().problem.input)),
          d_pool(std::move(pool)),
          d_scratch(d_pool->threads()),
          d_costs(std::move(costs))
    {
        for (const auto& channel : channels) {
            d_firs.push_back(make_host_fir(variant, channel));
            d_taps.push_back(channel.taps());
        }
    }

    void configure(std::size_t index, const filter_channel& channel) override
    {
        d_firs[index]->configure(channel);
        d_taps[index] = channel.taps();
    }

    void run(const filter_call& call) override
    {
        find_active(call, d_firs.size(), d_active);
        if (d_active.empty())
            return;
        d_sums.time_call(call.outputs(), [&] {
            if (d_scratch.size() > 1)
                return share(call);
            for (const std::size_t index : d_active)
                run_channel(call, index, 0);
        });
    }
    void set_stream_memory(memory_region, memory_region) override {}
    std::string device_name() const override { return "host"; }
    std::string variant_name() const override { return d_firs.front()->variant_name(); }
    std::string transfer_name() const override { return "none"; }
    run_statistics statistics() const override { return d_sums.averages(); }
    void clear_statistics() override { d_sums = {}; }

private:
    void run_channel(const filter_call& call, std::size_t index, unsigned worker)
    {
        d_firs[index]->run(channel_of(call, index, d_taps[index], d_item_bytes),
                           d_scratch[worker]);
    }

    //! Lets the threads share the channels, if the call is long enough.
    void share(const filter_call& call)
    {
        const double seconds = d_costs.direct(call.outputs(), call.newest() + 1) *
                               static_cast<double>(d_active.size()) /
                               static_cast<double>(d_firs.size());
        d_pool->share(
            d_active.size(), d_pool->threads_for(seconds), [&](auto i, auto worker) {
                run_channel(call, d_active[i], worker);
            });
    }

    const std::size_t d_item_bytes;
    const std::shared_ptr<thread_pool> d_pool;
    std::vector<std::unique_ptr<host_fir>> d_firs; // one per channel
    std::vector<std::size_t> d_taps;
    std::vector<std::size_t> d_active;       // the channels that are active in this call
    std::vector<host_fir_scratch> d_scratch; // one per thread
    const host_costs d_costs;
    call_statistics d_sums;
};

} // namespace

std::unique_ptr<filter_executor>
make_host_direct(const std::string& variant,
                 const std::vector<filter_channel>& channels,
                 std::shared_ptr<thread_pool> pool,
                 const host_costs& costs)
{
    return std::make_unique<host_direct>(variant, channels, std::move(pool), costs);
}

} // namespace cldsp
