// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes each device's executor, measures their common calls, and remembers the parts.

#include "freq_xlating/shares_selection.h"

#include "base/arithmetic.h"
#include "base/json_value.h"
#include "base/text_stream.h"
#include "fast_convolution/dft_bank.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/opencl_dft_bank.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"
#include "filter/channel_spans.h"
#include "filter/filter_variant.h"
#include "freq_xlating/bank_selection.h"
#include "freq_xlating/rate_groups.h"
#include "freq_xlating/shared_channels.h"
#include "freq_xlating/typical_call.h"
#include "planning/output_check.h"
#include "planning/planner.h"

#include <cldsp/device.h>
#include <cldsp/errors.h>
#include <cldsp/plan_log.h>
#include <cldsp/wisdom.h>

#include <algorithm>
#include <chrono>
#include <complex>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

constexpr const char* plan_kind = "plans"; // in the wisdom

// A measurement has one call to warm up, and then at least min_calls and at most
// max_calls calls. Between these bounds it ends after calls_seconds.
constexpr int min_calls = 3, max_calls = 16;
constexpr double calls_seconds = 0.15;

//! The options for one device's plan, which is only a detail of the bank's plan.
freq_xlating_filter_bank_options of_device(freq_xlating_filter_bank_options options,
                                           const device_info& device)
{
    options.device = device.id();
    options.running = nullptr; // it is the rate of the bank
    if (options.log)
        options.log = [log = options.log, id = device.id()](log_level,
                                                            const std::string& text) {
            log(log_level::debug, "on " + id + ": " + text);
        };
    return options;
}

//! Whether the variant "tiled_fold" takes these taps on a device.
bool takes_tiles(const device_info& device,
                 const freq_xlating_filter_bank_problem& problem)
{
    std::size_t taps = 0;
    for (const auto& its : problem.taps)
        taps = std::max(taps, its.size());
    try {
        return vkfft_plan::missing().empty() &&
               fast_convolution_size(tiled_fold_variant().name,
                                     device,
                                     problem.decimation,
                                     taps,
                                     problem.channels()) > 0;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

//! Sets the options to the algorithm, variant and transfer of a plan, so that nothing is
//! measured again. The options stay open if the plan has several executors for different
//! rates. Channels that were on a raster when the plan was made may have left it.
void name_plan(freq_xlating_filter_bank_options& options,
               const chosen_plan& plan,
               const device_info& device,
               const freq_xlating_filter_bank_problem& problem)
{
    const auto* variant = find_variant(plan.variant);
    if (!variant)
        return;
    if (variant == &dft_bank_variant() &&
        !find_raster(make_channels(problem), max_dft_bank_size(device.limits)))
        variant = takes_tiles(device, problem) ? &tiled_fold_variant()
                                               : find_variant(direct_variant(device));
    options.algorithm = variant->algorithm;
    options.variant = variant->name;
    for (const char* transfer : { "copy", "mapped", "zero_copy" })
        if (plan.transfer == transfer)
            options.transfer = transfer;
}

//! The lower quartile: interruptions only make a call longer.
double quartile(std::vector<double> seconds)
{
    const auto quarter =
        seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 4);
    std::nth_element(seconds.begin(), quarter, seconds.end());
    return *quarter;
}

//! A bank whose channels several devices share, and the devices that may share them.
class shares_task
{
public:
    explicit shares_task(const filter_request& request)
        : d_problem(request.problem),
          d_options(request.options),
          d_rates_of_host(request.rates),
          d_registry(*request.registry),
          d_devices(open_devices(plan_options::of(d_options), d_registry)),
          d_listed(d_devices.size())
    {
        const bool has_host = std::any_of(d_devices.begin(),
                                          d_devices.end(),
                                          [](const auto& d) { return d.is_host(); });
        const auto* variant = find_variant(d_options.variant);
        if (!has_host && d_options.device.find(',') == std::string::npos &&
            (!variant || variant->host))
            d_devices.push_back(find_devices("host").front()); // "gpus": it may help
        auto channels = all_channels();
        for (std::size_t i = 0; channels.size() < d_devices.size(); i++)
            channels.push_back(i);
        d_padded = problem_of_channels(d_problem, channels);
        d_channels = make_channels(d_padded);
        std::size_t taps = 0;
        std::vector<rate_ratio> rates;
        for (const auto& channel : d_channels) {
            taps += channel.taps();
            rates.push_back(channel.problem.rate());
        }
        d_items = items_of_typical_call(d_options.typical_items, rates);
        d_measuring = taps >= min_measured_taps;
    }

    filter_selection select()
    {
        if (auto known = remembered())
            return logged(std::move(*known));
        if (!d_measuring)
            return logged(finished(make(equal_counts()), 0));
        tell_wait_for_devices();
        // A host that the user has not listed may be far slower than the GPUs, so its
        // first share is small.
        constexpr double supposed_host_rate = 0.125;
        std::vector<double> rates(d_devices.size(), supposed_host_rate);
        std::fill_n(rates.begin(), d_listed, 1.0);
        auto balanced =
            balance_shares(d_problem.channels(), rates, [this](const auto& counts) {
                return measure(counts);
            });
        d_made.reset();
        if (balanced.counts.empty())
            return on_host();
        d_rates = balanced.rates;
        auto executor = make(balanced.counts);
        const bool failed = !d_failures.empty();
        auto selected = finished(std::move(executor), balanced.call);
        if (!failed && selected.executor)
            remember(selected.plan);
        return logged(std::move(selected));
    }

    bool is_outdated(const chosen_plan& plan) const
    {
        if (plan.shares.empty() || !plan.reason.empty())
            return false; // after a failure the plan stays
        if (d_measuring && !(plan.measured > 0))
            return true;
        if (!d_problem.has_one_decimation())
            return false; // as on one device, where different rates keep their plan
        std::size_t first = 0;
        for (const auto& share : plan.shares) {
            const auto device =
                std::find_if(d_devices.begin(), d_devices.end(), [&](const auto& d) {
                    return d.id() == share.device;
                });
            if (device == d_devices.end() ||
                first + share.channels > d_problem.channels())
                return true;
            std::vector<std::size_t> channels;
            for (std::size_t i = 0; i < share.channels; i++)
                channels.push_back(first++);
            // Executors that were made by name have not been measured again.
            auto its_plan = share;
            its_plan.measured = plan.measured;
            const auto its_problem = problem_of_channels(d_problem, channels);
            const auto its_options = of_device(d_options, *device);
            if (bank_is_outdated(
                    its_plan, { its_problem, its_options, d_rates_of_host, &d_registry }))
                return true;
        }
        return false;
    }

private:
    //! Makes the executor of a device.
    //! \param plan the executor's plan; null: the planner chooses one
    filter_selection make_on(const device_info& device,
                             const freq_xlating_filter_bank_problem& problem,
                             const chosen_plan* plan) const
    {
        auto its_options = of_device(d_options, device);
        if (plan)
            name_plan(its_options, *plan, device, problem);
        return select_bank({ problem, its_options, d_rates_of_host, &d_registry });
    }

    //! The function that makes executors while a stream runs, which nothing is measured
    //! for.
    shared_channels::maker make_later() const
    {
        return [options = d_options, rates = d_rates_of_host, &registry = d_registry](
                   const device_info& device,
                   const freq_xlating_filter_bank_problem& problem,
                   const chosen_plan& plan) {
            auto its_options = of_device(options, device);
            name_plan(its_options, plan, device, problem);
            if (device.is_host())
                return host_instead(problem, its_options, rates, "");
            auto selected = select_bank({ problem, its_options, rates, &registry });
            if (selected.fell_back)
                throw std::invalid_argument(selected.plan.reason);
            return selected;
        };
    }

    std::vector<std::size_t> equal_counts() const
    {
        return counts_by_rates(d_problem.channels(), std::vector<double>(d_listed, 1.0));
    }

    std::vector<std::size_t> all_channels() const
    {
        std::vector<std::size_t> all(d_problem.channels());
        for (std::size_t c = 0; c < all.size(); c++)
            all[c] = c;
        return all;
    }

    //! Makes the executors of these numbers of channels. Those of a device that fails are
    //! missing; its reason is then in d_failures.
    std::vector<device_share> make_shares(const freq_xlating_filter_bank_problem& problem,
                                          const std::vector<std::size_t>& counts)
    {
        const auto dealt = deal_channels(problem, counts);
        std::vector<device_share> shares;
        for (std::size_t i = 0; i < counts.size(); i++) {
            if (dealt[i].empty())
                continue;
            const auto& device = d_devices[i];
            try {
                auto selected = make_on(device,
                                        problem_of_channels(problem, dealt[i]),
                                        known_plan(device, dealt[i].size()));
                if (selected.fell_back) {
                    note_failure(device, selected.plan.reason);
                    continue;
                }
                auto& plan = d_plans[device.id()];
                plan = selected.plan;
                plan.channels = dealt[i].size();
                shares.push_back({ device,
                                   dealt[i],
                                   std::move(selected),
                                   d_rates.empty() ? 1 : d_rates[i] });
            } catch (const opencl_error& e) {
                note_failure(device, e.what());
            } catch (const std::invalid_argument& e) {
                if (i < d_listed) // a device that the user has listed cannot be used
                    throw;
                log_to(d_options.log,
                       log_level::debug,
                       device.id() + std::string(" is left out: ") + e.what());
            }
        }
        return shares;
    }

    //! The plan that was chosen for about as many channels; null if there is none.
    const chosen_plan* known_plan(const device_info& device, std::size_t channels) const
    {
        const auto known = d_plans.find(device.id());
        if (known == d_plans.end() || known->second.channels > 2 * channels ||
            channels > 2 * known->second.channels)
            return nullptr;
        return &known->second;
    }

    void note_failure(const device_info& device, const std::string& why)
    {
        const auto text =
            "device '" + device.name + "' (" + device.id() + ") is left out: " + why;
        if (!d_failures.emplace(device.id(), text).second)
            return;
        log_to(d_options.log, log_level::warning, text);
    }

    std::unique_ptr<shared_channels>
    executor_of(const freq_xlating_filter_bank_problem& problem,
                std::vector<device_share> shares) const
    {
        return std::make_unique<shared_channels>(
            problem, std::move(shares), make_later(), d_options.log);
    }

    //! The executor with these numbers of channels. The channels of devices that fail in
    //! this go to the others; null if all of them fail.
    std::unique_ptr<shared_channels> make(std::vector<std::size_t> counts)
    {
        for (;;) {
            auto shares = make_shares(d_problem, counts);
            std::size_t channels = 0;
            for (const auto& share : shares)
                channels += share.channels.size();
            if (shares.empty())
                return nullptr;
            if (channels == d_problem.channels())
                return executor_of(d_problem, std::move(shares));
            std::vector<double> rates(d_devices.size());
            for (const auto& share : shares)
                for (std::size_t i = 0; i < d_devices.size(); i++)
                    if (d_devices[i].id() == share.device.id())
                        rates[i] = share.rate > 0 ? share.rate : 1;
            counts = counts_by_rates(d_problem.channels(), rates);
        }
    }

    //! Measures calls that all devices compute together.
    share_times measure(const std::vector<std::size_t>& counts)
    {
        try {
            return measure_calls(counts);
        } catch (const opencl_error& e) { // the last of the devices failed
            log_to(d_options.log, log_level::warning, e.what());
            d_failures.emplace("all", e.what());
            if (d_call && d_made && d_made->device_is_lost())
                d_call->keep();
            d_made.reset();
            return { std::vector<double>(counts.size(), infinity), infinity };
        }
    }

    share_times measure_calls(const std::vector<std::size_t>& counts)
    {
        d_made.reset(); // the devices need not hold two of them
        const bool padded =
            std::accumulate(counts.begin(), counts.end(), std::size_t(0)) >
            d_problem.channels();
        const auto& problem = padded ? d_padded : d_problem;
        auto shares = make_shares(problem, counts);
        share_times times{ std::vector<double>(counts.size(), infinity), infinity };
        if (shares.empty())
            return times;
        d_made = executor_of(problem, std::move(shares));
        if (!d_call)
            d_call = std::make_unique<typical_call>(d_channels, d_items);
        std::vector<std::vector<double>> seconds(counts.size());
        std::vector<double> calls;
        d_made->set_stream_memory(d_call->in(), {});
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i <= max_calls; i++) {
            if (d_options.stopped && d_options.stopped())
                throw planning_stopped();
            const auto start = std::chrono::steady_clock::now();
            d_call->run(*d_made);
            if (d_made->device_is_lost()) // late commands may still use the memory
                d_call->keep();
            const auto end = std::chrono::steady_clock::now();
            if (i == 0)
                continue;
            calls.push_back(std::chrono::duration<double>(end - start).count());
            for (std::size_t d = 0; d < counts.size(); d++)
                seconds[d].push_back(d_made->seconds_of(d_devices[d]));
            if (i >= min_calls &&
                std::chrono::duration<double>(end - begin).count() > calls_seconds)
                break;
        }
        d_made->set_stream_memory({}, {});
        chosen_plan now;
        if (d_made->take_new_plan(now))
            d_failures.emplace("calls", now.reason);
        times.call = quartile(calls);
        for (std::size_t d = 0; d < counts.size(); d++)
            times.seconds[d] =
                *std::max_element(seconds[d].begin(), seconds[d].end()) < infinity
                    ? quartile(seconds[d])
                    : infinity;
        std::string text = "calls of " + number_text(times.call) + " s with";
        for (std::size_t d = 0; d < counts.size(); d++)
            text += (d ? ", " : " ") + std::to_string(counts[d]) + " channels on " +
                    d_devices[d].id() + " in " + number_text(times.seconds[d]) + " s";
        log_to(d_options.log, log_level::debug, text);
        return times;
    }

    filter_selection finished(std::unique_ptr<shared_channels> executor, double seconds)
    {
        if (!executor)
            return on_host();
        filter_selection selected;
        selected.plan = executor->plan();
        selected.plan.measured = seconds > 0 ? static_cast<double>(d_items) / seconds : 0;
        selected.executor = std::move(executor);
        selected.plan.reason = failures();
        selected.fell_back = !d_failures.empty();
        return selected;
    }

    std::string failures() const
    {
        std::string all;
        for (const auto& [device, text] : d_failures)
            all += (all.empty() ? "" : "; ") + text;
        return all;
    }

    filter_selection on_host() const
    {
        log_to(d_options.log,
               log_level::warning,
               "the host computes instead: " + failures());
        return host_instead(d_problem, d_options, d_rates_of_host, failures());
    }

    void tell_wait_for_devices() const
    {
        // Each device makes its plan, and then all of them run together a few times.
        constexpr double seconds_of_device = 2;
        std::vector<std::string> names;
        for (const auto& device : d_devices)
            if (!device.is_host())
                names.push_back(device.name);
        tell_wait(d_registry,
                  d_options.log,
                  names,
                  seconds_of_device * static_cast<double>(names.size()));
    }

    filter_selection logged(filter_selection selected) const
    {
        tell_details(d_options.log, selected.plan);
        return selected;
    }

    //! The key of the remembered answer.
    std::string key() const
    {
        text_stream text;
        std::map<std::pair<std::size_t, std::size_t>, std::size_t> rates;
        std::size_t taps = 0;
        bool real = true;
        for (std::size_t c = 0; c < d_problem.channels(); c++) {
            const auto& channel = d_channels[c];
            const auto rate = channel.problem.rate();
            rates[{ rate.interpolation, rate.decimation }]++;
            taps = std::max(taps, channel.taps());
            real = real && channel.real_taps;
        }
        text << "freq_xlating_filter_bank shares " << sample_type_name(d_problem.input)
             << " taps=" << taps << (real ? "r" : "c") << " rates=";
        for (const auto& [rate, count] : rates)
            text << (rate == rates.begin()->first ? "" : ",") << count << "x"
                 << rate.first << "/" << rate.second;
        text << " items=" << d_items << " threads=" << d_options.threads << " "
             << plan_options::of(d_options).key();
        if (const auto raster = find_raster(d_channels, max_raster_size))
            text << " raster=" << raster;
        plan_request request;
        request.problem = text.str();
        std::vector<plan_candidate> candidates(d_devices.size());
        for (std::size_t i = 0; i < candidates.size(); i++)
            candidates[i].device = d_devices[i];
        return plan_key(request, candidates, d_registry);
    }

    void remember(const chosen_plan& plan)
    {
        json_value::array shares;
        for (const auto& share : plan.shares)
            shares.emplace_back(json_value::object{ { "device", share.device },
                                                    { "channels", share.channels },
                                                    { "variant", share.variant },
                                                    { "transfer", share.transfer } });
        const json_value answer = json_value::object{ { "shares", std::move(shares) },
                                                      { "measured", plan.measured } };
        d_registry.wisdom().store(plan_kind, key(), answer.print());
    }

    //! The remembered answer, if there is one that still works.
    std::optional<filter_selection> remembered()
    {
        const auto text = d_measuring ? d_registry.wisdom().find(plan_kind, key()) : "";
        if (text.empty())
            return std::nullopt;
        try {
            std::vector<std::size_t> counts(d_devices.size());
            d_rates.assign(d_devices.size(), 0);
            std::size_t channels = 0;
            const auto answer = json_value::parse(text).value_or(json_value());
            for (const auto& share : answer["shares"].values()) {
                const std::string id(share["device"].text().value_or(""));
                chosen_plan plan;
                plan.variant = share["variant"].text().value_or("");
                plan.transfer = share["transfer"].text().value_or("");
                plan.channels = share["channels"].count().value_or(0);
                for (std::size_t i = 0; i < d_devices.size(); i++)
                    if (d_devices[i].id() == id)
                        counts[i] = plan.channels;
                d_plans[id] = plan;
            }
            for (std::size_t i = 0; i < counts.size(); i++) {
                counts[i] = std::min(counts[i], d_problem.channels() + 1);
                channels += counts[i];
                d_rates[i] = static_cast<double>(counts[i]); // they take equally long
            }
            const auto measured = answer["measured"].number();
            if (measured && channels == d_problem.channels()) {
                auto shares = make_shares(d_problem, counts);
                std::size_t made = 0;
                for (const auto& share : shares)
                    made += share.channels.size();
                if (made == channels && d_failures.empty()) {
                    auto selected = finished(
                        executor_of(d_problem, std::move(shares)),
                        *measured > 0 ? static_cast<double>(d_items) / *measured : 0);
                    selected.plan.remembered = true;
                    return selected;
                }
            }
        } catch (const std::invalid_argument&) {
            // The answer has a variant or size that the device does not support, or
            // another form than this program writes. A measurement replaces it.
        }
        d_registry.wisdom().forget(plan_kind, key());
        d_plans.clear();
        d_rates.clear();
        d_failures.clear();
        return std::nullopt;
    }

    const freq_xlating_filter_bank_problem& d_problem;
    const freq_xlating_filter_bank_options& d_options;
    const host_rates d_rates_of_host;
    context_registry& d_registry;
    //! The problem with some channels repeated, so that there is one for each device.
    freq_xlating_filter_bank_problem d_padded;
    std::vector<filter_channel> d_channels; // of d_padded
    std::vector<device_info> d_devices;     // those that were named, and perhaps the host
    const std::size_t d_listed;             // how many of them were named
    std::size_t d_items = 0;                // of a typical call
    bool d_measuring = true;
    std::unique_ptr<typical_call> d_call; // outlives the executor, which uses its memory
    std::unique_ptr<shared_channels> d_made;
    std::map<std::string, chosen_plan> d_plans;    // by the device
    std::map<std::string, std::string> d_failures; // by the device
    std::vector<double> d_rates;                   // channels per second
};

} // namespace

bool shares_channels(const filter_request& request)
{
    return request.problem.channels() > 1 &&
           names_several_devices(request.options.device);
}

filter_selection select_shares(const filter_request& request)
{
    check_plan_options(plan_options::of(request.options), request.problem.input);
    return shares_task(request).select();
}

bool shares_are_outdated(const chosen_plan& plan, const filter_request& request)
{
    return shares_task(request).is_outdated(plan);
}

} // namespace cldsp
