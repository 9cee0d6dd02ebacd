// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Deals channels out, balances them by measured calls, and takes over for lost devices.

#include "freq_xlating/shared_channels.h"

#include "base/arithmetic.h"
#include "filter/channel_spans.h"
#include "freq_xlating/rate_groups.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace cldsp {

namespace {

// Numbers of channels that differ by no more than this part of all channels are not worth
// another measurement.
constexpr double close_counts = 0.02;
constexpr int max_rounds = 3;

// The slowest device has to show that it helps: devices share memory, a bus and the
// host's threads, so that one more device may slow the others down by more than it adds.
constexpr double worth_a_device = 1.05;

std::size_t sum(const std::vector<std::size_t>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::size_t(0));
}

bool are_close(const std::vector<std::size_t>& a,
               const std::vector<std::size_t>& b,
               std::size_t channels)
{
    for (std::size_t i = 0; i < a.size(); i++)
        if (std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])) >
            close_counts * static_cast<double>(channels))
            return false;
    return true;
}

//! The largest number of outputs of a channel.
std::size_t outputs_of(const filter_call& call, std::size_t channels)
{
    std::size_t most = 0;
    for (std::size_t c = 0; c < channels; c++)
        if (call.channels[c].out)
            most = std::max(most, call.channels[c].span.outputs);
    return most;
}

//! The search of balance_shares().
class balancing
{
public:
    balancing(std::size_t channels,
              const std::vector<double>& rates,
              const std::function<share_times(const std::vector<std::size_t>&)>& measure)
        : d_channels(channels), d_measure(measure), d_rates(rates)
    {
    }

    balanced_shares run()
    {
        approach();
        while (drop_slowest()) {
        }
        d_best.rates = d_rates;
        return d_best;
    }

private:
    void approach()
    {
        auto counts = counts_by_rates(d_channels, d_rates);
        for (auto& count : counts)
            count = std::max<std::size_t>(1, count); // every device is measured
        for (int round = 0; round < max_rounds && !counts.empty(); round++) {
            consider(counts);
            auto next = counts_by_rates(d_channels, d_rates);
            if (!d_best.counts.empty() && are_close(next, counts, d_channels))
                break;
            counts = std::move(next);
        }
        // In every round a device failed, and the numbers for the remaining devices have
        // not been measured.
        if (d_best.counts.empty())
            d_best.counts = counts_by_rates(d_channels, d_rates);
    }

    //! Measures the rates with these numbers, which may be the best so far.
    double consider(const std::vector<std::size_t>& counts)
    {
        const auto times = d_measure(counts);
        bool failed = false;
        for (std::size_t i = 0; i < counts.size(); i++) {
            if (counts[i] == 0)
                continue;
            const bool works = times.seconds[i] > 0 && times.seconds[i] < infinity;
            d_rates[i] = works ? static_cast<double>(counts[i]) / times.seconds[i] : 0;
            failed = failed || !works;
        }
        if (failed) { // the best numbers so far may need this device
            d_best = {};
            return infinity;
        }
        if (sum(counts) == d_channels &&
            (d_best.counts.empty() || times.call < d_best.call)) {
            d_best.counts = counts;
            d_best.call = times.call;
        }
        return times.call;
    }

    //! \return whether a device was found to be no help
    bool drop_slowest()
    {
        const auto& counts = d_best.counts;
        std::size_t slowest = counts.size(), used = 0;
        for (std::size_t i = 0; i < counts.size(); i++) {
            if (counts[i] == 0)
                continue;
            used++;
            if (slowest == counts.size() || d_rates[i] < d_rates[slowest])
                slowest = i;
        }
        if (used < 2)
            return false;
        const balanced_shares with = d_best;
        const auto rates = d_rates;
        d_rates[slowest] = 0;
        const auto without = counts_by_rates(d_channels, d_rates);
        const double call = consider(without);
        if (call < infinity && call <= worth_a_device * with.call) {
            d_best.counts = without;
            d_best.call = call;
            return true;
        }
        d_best = with;
        d_rates = rates;
        return false;
    }

    const std::size_t d_channels;
    const std::function<share_times(const std::vector<std::size_t>&)>& d_measure;
    std::vector<double> d_rates;
    balanced_shares d_best;
};

} // namespace

std::vector<std::size_t> counts_by_rates(std::size_t channels,
                                         const std::vector<double>& rates)
{
    const double all = std::accumulate(rates.begin(), rates.end(), 0.0);
    if (!(all > 0))
        return {};
    std::vector<std::size_t> counts;
    std::vector<std::pair<double, std::size_t>> rests; // with the device
    for (std::size_t i = 0; i < rates.size(); i++) {
        const double exact = static_cast<double>(channels) * (rates[i] / all);
        counts.push_back(static_cast<std::size_t>(exact));
        if (rates[i] > 0)
            rests.emplace_back(exact - std::floor(exact), i);
    }
    std::stable_sort(rests.begin(), rests.end(), [](const auto& a, const auto& b) {
        return a.first > b.first;
    });
    for (std::size_t i = 0; sum(counts) < channels; i++)
        counts[rests[i % rests.size()].second]++;
    // Rounding may have given one too many.
    for (std::size_t i = counts.size(); i-- > 0 && sum(counts) > channels;)
        if (counts[i] > 0)
            counts[i]--;
    return counts;
}

std::vector<std::vector<std::size_t>>
deal_channels(const freq_xlating_filter_bank_problem& bank,
              const std::vector<std::size_t>& counts)
{
    std::vector<std::size_t> order(bank.channels());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto key = [&](std::size_t c) {
            const rate_ratio rate = bank.rate(c);
            return std::tuple(
                rate.decimation, rate.interpolation, bank.taps_of(c).size());
        };
        return key(a) < key(b);
    });
    const std::size_t all = sum(counts);
    std::vector<std::vector<std::size_t>> dealt(counts.size());
    for (std::size_t i = 0; i < order.size(); i++) {
        // The device that lacks most of its part of the channels so far.
        std::size_t next = 0;
        double most = -infinity;
        for (std::size_t d = 0; d < counts.size(); d++) {
            const double lacks = static_cast<double>(counts[d]) *
                                     static_cast<double>(i + 1) /
                                     static_cast<double>(all) -
                                 static_cast<double>(dealt[d].size());
            if (dealt[d].size() < counts[d] && lacks > most) {
                most = lacks;
                next = d;
            }
        }
        dealt[next].push_back(order[i]);
    }
    for (auto& one : dealt)
        std::sort(one.begin(), one.end());
    return dealt;
}

balanced_shares
balance_shares(std::size_t channels,
               const std::vector<double>& rates,
               const std::function<share_times(const std::vector<std::size_t>&)>& measure)
{
    return balancing(channels, rates, measure).run();
}

shared_channels::shared_channels(const freq_xlating_filter_bank_problem& problem,
                                 std::vector<device_share> shares,
                                 maker make,
                                 logger log)
    : d_problem(problem),
      d_make(std::move(make)),
      d_log(std::move(log)),
      d_places(problem.channels()),
      d_pool(static_cast<unsigned>(shares.size()))
{
    if (d_problem.taps.size() < d_problem.channels())
        d_problem.taps.resize(d_problem.channels(), shared_taps(d_problem.taps.front()));
    for (auto& share : shares) {
        d_members.emplace_back();
        d_members.back().share = std::move(share);
        find_history(d_members.back());
    }
    find_places();
}

//! Runs \p action; notes it if the device fails.
template <class Action>
void shared_channels::guarded(member& one, const Action& action)
{
    try {
        action();
    } catch (const opencl_error& e) {
        one.error = std::current_exception();
        one.failure = e.what();
    } catch (const std::invalid_argument& e) { // for example taps that do not fit
        one.error = std::current_exception();
        one.failure = e.what();
    }
}

void shared_channels::find_places()
{
    for (std::size_t m = 0; m < d_members.size(); m++) {
        const auto& channels = d_members[m].share.channels;
        for (std::size_t i = 0; i < channels.size(); i++)
            d_places[channels[i]] = { m, i };
    }
}

void shared_channels::find_history(member& one) const
{
    one.history = 0;
    for (const std::size_t c : one.share.channels)
        one.history = std::max(
            one.history, d_problem.taps[c].size() + d_problem.rate(c).further_taps() - 1);
}

void shared_channels::configure(std::size_t channel, const filter_channel& setup)
{
    const bool other_size = d_problem.taps[channel].size() != setup.taps();
    d_problem.center_freqs[channel] = setup.problem.center_freq;
    d_problem.taps[channel] = setup.problem.taps;
    const auto place = d_places[channel];
    auto& one = d_members.at(place.member);
    if (other_size)
        find_history(one);
    guarded(one, [&] { one.share.selected.executor->configure(place.index, setup); });
    if (has_failures())
        give_away();
}

void shared_channels::set_stream_memory(memory_region in, memory_region)
{
    d_in = in;
    for (auto& one : d_members)
        guarded(one, [&] { one.share.selected.executor->set_stream_memory(in, {}); });
    if (has_failures())
        give_away();
}

//! Collects the channels of this member that are still to be computed for the call.
//! \return whether there are any
bool shared_channels::prepare(member& one, const filter_call& call)
{
    const auto& channels = one.share.channels;
    one.calls.resize(channels.size());
    one.seconds = 0;
    bool any = false;
    for (std::size_t i = 0; i < channels.size(); i++) {
        const std::size_t c = channels[i];
        one.calls[i] = call.channels[c];
        one.calls[i].out = d_left[c];
        any = any || d_left[c];
    }
    return any;
}

void shared_channels::run_member(member& one, const filter_call& call) const
{
    using clock = std::chrono::steady_clock;
    // The channels of this device may all have shorter taps than the bank's longest ones,
    // and then need less history.
    const auto part =
        without_early_items(call, one.calls, one.history, sample_size(d_problem.input));
    const auto start = clock::now();
    one.share.selected.executor->run(part);
    one.seconds = std::chrono::duration<double>(clock::now() - start).count();
}

void shared_channels::run(const filter_call& call)
{
    d_left.clear();
    for (std::size_t c = 0; c < d_problem.channels(); c++)
        d_left.push_back(call.channels[c].out);
    d_calls++;
    d_outputs += outputs_of(call, d_problem.channels());
    for (;;) {
        d_due.clear();
        for (auto& one : d_members)
            if (prepare(one, call))
                d_due.push_back(&one);
        d_pool.share(
            d_due.size(), d_due.size() > 1 ? d_pool.threads() : 1, [&](auto i, auto) {
                guarded(*d_due[i], [&] { run_member(*d_due[i], call); });
            });
        if (!has_failures())
            return;
        for (const auto* one : d_due)
            if (one->failure.empty())
                for (const std::size_t c : one->share.channels)
                    d_left[c] = nullptr;
        give_away();
    }
}

bool shared_channels::has_failures() const
{
    return std::any_of(d_members.begin(), d_members.end(), [](const member& one) {
        return !one.failure.empty();
    });
}

//! Removes the devices that have failed. Returns their channels.
std::vector<std::size_t> shared_channels::take_out_failed()
{
    std::vector<std::size_t> channels;
    std::exception_ptr error;
    for (const auto& one : d_members) {
        if (one.failure.empty())
            continue;
        const auto& own = one.share.channels;
        channels.insert(channels.end(), own.begin(), own.end());
        error = one.error;
        d_device_is_lost =
            d_device_is_lost || (one.share.selected.executor &&
                                 one.share.selected.executor->device_is_lost());
        d_last_name = one.share.device.name;
        const std::string what = "device '" + one.share.device.name + "' (" +
                                 one.share.device.id() + ") failed";
        if (d_members.size() > 1)
            log_to(d_log,
                   log_level::error,
                   what + ", the other devices go on: " + one.failure);
        d_reason += (d_reason.empty() ? "" : "; ") + what + ": " + one.failure;
    }
    d_members.erase(
        std::remove_if(d_members.begin(),
                       d_members.end(),
                       [](const member& one) { return !one.failure.empty(); }),
        d_members.end());
    if (d_members.empty())
        std::rethrow_exception(error);
    std::sort(channels.begin(), channels.end());
    return channels;
}

//! Gives the channels of failed devices to the others.
void shared_channels::give_away()
{
    while (has_failures()) {
        const auto channels = take_out_failed();
        std::vector<double> rates;
        for (const auto& one : d_members)
            rates.push_back(one.share.rate);
        const auto dealt = deal_channels(problem_of_channels(d_problem, channels),
                                         counts_by_rates(channels.size(), rates));
        for (std::size_t i = 0; i < d_members.size(); i++) {
            std::vector<std::size_t> more;
            for (const std::size_t place : dealt[i])
                more.push_back(channels[place]);
            if (!more.empty())
                add_channels(d_members[i], more);
        }
    }
    find_places();
    clear_statistics();
    d_changed = true;
}

void shared_channels::add_channels(member& one, const std::vector<std::size_t>& channels)
{
    auto& own = one.share.channels;
    own.insert(own.end(), channels.begin(), channels.end());
    std::sort(own.begin(), own.end());
    find_history(one);
    guarded(one, [&] {
        auto& selected = one.share.selected;
        selected.executor.reset(); // its memory may be needed
        selected =
            d_make(one.share.device, problem_of_channels(d_problem, own), selected.plan);
        selected.executor->set_stream_memory(d_in, {});
    });
}

//! The different names of all executors, with commas between them.
template <class F>
std::string shared_channels::of_all(const F& name) const
{
    std::string all;
    for (const auto& one : d_members)
        add_name(name(*one.share.selected.executor), all);
    return all;
}

std::string shared_channels::device_name() const
{
    return d_members.empty()
               ? d_last_name
               : of_all([](const auto& executor) { return executor.device_name(); });
}
std::string shared_channels::variant_name() const
{
    return of_all([](const auto& executor) { return executor.variant_name(); });
}
std::string shared_channels::transfer_name() const
{
    return of_all([](const auto& executor) { return executor.transfer_name(); });
}

run_statistics shared_channels::statistics() const
{
    // The devices work at the same time, and the slowest one counts.
    run_statistics all;
    all.calls = d_calls;
    all.outputs = d_outputs;
    for (const auto& one : d_members) {
        const auto own = one.share.selected.executor->statistics();
        const double calls =
            d_calls ? static_cast<double>(own.calls) / static_cast<double>(d_calls) : 0;
        all.kernel_time = std::max(all.kernel_time, own.kernel_time * calls);
        all.transfer_time = std::max(all.transfer_time, own.transfer_time * calls);
    }
    return all;
}

void shared_channels::clear_statistics()
{
    d_calls = d_outputs = 0;
    for (auto& one : d_members)
        one.share.selected.executor->clear_statistics();
}

bool shared_channels::device_is_lost() const
{
    return d_device_is_lost ||
           std::any_of(d_members.begin(), d_members.end(), [](const member& one) {
               return one.share.selected.executor->device_is_lost();
           });
}

chosen_plan shared_channels::plan() const
{
    chosen_plan all;
    for (const auto& one : d_members) {
        auto own = one.share.selected.plan;
        own.device = one.share.device.id();
        own.device_name = one.share.device.name;
        own.channels = one.share.channels.size();
        add_name(own.device, all.device);
        add_name(own.device_name, all.device_name);
        add_name(own.algorithm, all.algorithm);
        add_name(own.variant, all.variant);
        add_name(own.transfer, all.transfer);
        // A call lasts as long as its slowest part.
        if (all.shares.empty() || own.predicted < all.predicted)
            all.predicted = own.predicted;
        all.shares.push_back(std::move(own));
    }
    if (all.shares.size() == 1)
        all.ifft_size = all.shares.front().ifft_size;
    all.reason = d_reason;
    return all;
}

bool shared_channels::take_new_plan(chosen_plan& plan)
{
    if (!std::exchange(d_changed, false))
        return false;
    plan = this->plan();
    return true;
}

double shared_channels::seconds_of(const device_info& device) const
{
    for (const auto& one : d_members)
        if (one.share.device.id() == device.id())
            return one.seconds;
    return infinity;
}

} // namespace cldsp
