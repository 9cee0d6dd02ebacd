/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "freq_xlating/rates_selection.h"

#include "base/page_memory.h"
#include "base/thread_pool.h"
#include "fast_convolution/host_multirate.h"
#include "filter/kept_bins.h"
#include "filter/variants.h"
#include "freq_xlating/rate_groups.h"
#include "planning/output_check.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// A bank of more groups is computed group by group only if no other way is open. Each
// group has an executor of its own, and a rate of P outputs for Q items has P groups.
constexpr std::size_t max_groups = 64;

//! A bank whose channels have different rates, and the values that predictions depend on.
class rates_task
{
public:
    rates_task(const freq_xlating_filter_bank_problem& problem,
               const freq_xlating_filter_bank_options& options,
               const host_rates& rates)
        : d_problem(problem),
          d_options(options),
          d_rates(rates),
          d_channels(make_channels(problem)),
          d_groups(rate_groups(problem)),
          d_pool(std::make_shared<thread_pool>(options.threads))
    {
        std::vector<rate_ratio> all;
        std::vector<double> kept; // of each prototype
        for (const auto& taps : problem.taps)
            kept.push_back(kept_bins(taps, options.accuracy));
        for (std::size_t c = 0; c < d_channels.size(); c++) {
            all.push_back(problem.rate(c));
            d_multirate.push_back({ all.back(), kept[kept.size() > 1 ? c : 0] });
            d_block.max_items_of_output =
                std::max(d_block.max_items_of_output, d_channels[c].items_of_output());
            d_history = std::max(d_history, history_of(d_channels[c]));
        }
        d_block.unit = multirate_unit(all);
        d_shape.input = problem.input;
        d_shape.channels = d_channels.size();
        d_shape.real_taps =
            std::all_of(d_channels.begin(), d_channels.end(), [](const auto& channel) {
                return channel.real_taps;
            });
        d_shape.threads = d_pool->threads();
        constexpr std::size_t max_outputs = 1 << 25; // all channels together, 256 MiB
        const std::size_t least = items_of_an_output(all);
        d_shape.items = std::clamp<std::size_t>(
            options.typical_items,
            least,
            std::max<std::size_t>(least, max_outputs / outputs_each()));
    }

    //! Whether the options allow fast convolution with a shared transform.
    bool allows_shared() const
    {
        const auto named = plan_options::of(d_options);
        if (d_block.unit == 0 || !named.allows(multirate_variant))
            return false;
        const auto places = open_places(named);
        return std::any_of(places.begin(), places.end(), [](const auto& place) {
            return place.device.is_host();
        });
    }
    bool has_few_groups() const { return d_groups.size() <= max_groups; }
    bool has_shared() const { return d_block.unit != 0; }

    //! The blocks of a shared transform that are worth a measurement.
    std::vector<multirate_prediction> shared_sizes() const
    {
        constexpr std::size_t max_sizes = 3;
        return predict_multirate(d_block, d_shape, d_multirate, d_rates, max_sizes);
    }

    filter_selection shared(const multirate_prediction& predicted) const
    {
        std::vector<double> kept;
        for (const auto& channel : d_multirate)
            kept.push_back(channel.kept);
        filter_selection selected;
        selected.executor = make_host_multirate(
            d_channels,
            [shape = d_shape,
             channels = d_multirate,
             rates = d_rates,
             max_items = d_block.max_items_of_output,
             size = predicted.fft_size](const multirate_block& block) {
                return block.max_items_of_output == max_items
                           ? size
                           : predict_multirate(block, shape, channels, rates, 1)
                                 .front()
                                 .fft_size;
            },
            kept,
            d_options.accuracy,
            d_pool,
            predicted.item_seconds);
        selected.plan.device = "host";
        selected.plan.device_name = "host";
        selected.plan.algorithm = "fast_convolution";
        selected.plan.variant = multirate_variant;
        selected.plan.transfer = "none";
        selected.plan.fft_size = predicted.fft_size;
        selected.plan.predicted = rate_of(predicted.call_seconds);
        return selected;
    }

    //! \param select chooses the executor of one group
    template <class F>
    filter_selection grouped(const F& select) const
    {
        filter_selection all;
        std::vector<std::unique_ptr<filter_executor>> executors;
        double predicted = 0;
        for (const auto& group : d_groups) {
            filter_selection one = select(group.problem(d_problem));
            predicted += one.plan.predicted > 0
                             ? static_cast<double>(d_shape.items) / one.plan.predicted /
                                   static_cast<double>(group.rate.interpolation)
                             : std::numeric_limits<double>::infinity();
            add(one.plan, all.plan);
            all.fell_back = all.fell_back || one.fell_back;
            executors.push_back(std::move(one.executor));
        }
        all.plan.predicted = rate_of(predicted);
        all.executor = make_grouped(d_groups, std::move(executors), d_channels);
        return all;
    }

    //! The rate of a typical call, in items per second.
    double measured(filter_executor& executor) const
    {
        const page_memory in = trial_input(d_problem.input, d_history + d_shape.items);
        std::vector<channel_span> spans;
        find_spans(d_channels, 0, d_history, d_shape.items, spans);
        std::size_t outputs = 0;
        for (const auto& span : spans)
            outputs += span.outputs;
        const page_memory memory(std::max<std::size_t>(1, outputs) *
                                 sizeof(std::complex<float>));
        std::vector<std::complex<float>*> out;
        auto* place = memory.as<std::complex<float>>();
        for (const auto& span : spans) {
            out.push_back(place);
            place += span.outputs;
        }
        const std::vector<phase64> phases(spans.size());
        const filter_call call{ in.as<void>(), d_history,     out.data(),
                                d_shape.items, phases.data(), spans.data() };
        // The first call does not count, because it makes objects that later calls reuse.
        constexpr int calls = 4;
        double fastest = std::numeric_limits<double>::infinity();
        for (int i = 0; i < calls; i++) {
            if (d_options.stopped && d_options.stopped())
                throw planning_stopped();
            const auto start = std::chrono::steady_clock::now();
            try {
                executor.run(call);
            } catch (const opencl_error&) {
                // Late commands of a lost device may still use the memory.
                in.keep();
                memory.keep();
                throw;
            }
            const std::chrono::duration<double> took =
                std::chrono::steady_clock::now() - start;
            if (i > 0)
                fastest = std::min(fastest, took.count());
        }
        executor.clear_statistics();
        return rate_of(fastest);
    }

    const std::shared_ptr<thread_pool>& pool() const { return d_pool; }

private:
    std::size_t outputs_each() const
    {
        double each = 0; // outputs of all channels for an item
        for (const auto& channel : d_multirate)
            each += channel.rate.rate(1);
        return static_cast<std::size_t>(each) + 1;
    }
    double rate_of(double seconds) const
    {
        return static_cast<double>(d_shape.items) / seconds;
    }
    //! Adds a group's plan to that of all groups, with commas between different names.
    static void add(const chosen_plan& one, chosen_plan& all)
    {
        add_name(one.device, all.device);
        add_name(one.device_name, all.device_name);
        add_name(one.algorithm, all.algorithm);
        add_name(one.variant, all.variant);
        add_name(one.transfer, all.transfer);
        if (!one.reason.empty())
            add_name(one.reason, all.reason);
    }

    const freq_xlating_filter_bank_problem& d_problem;
    const freq_xlating_filter_bank_options& d_options;
    const host_rates d_rates;
    const std::vector<filter_channel> d_channels;
    const std::vector<rate_group> d_groups;
    const std::shared_ptr<thread_pool> d_pool;
    std::vector<multirate_channel> d_multirate;
    multirate_block d_block;
    plan_shape d_shape;
    std::size_t d_history = 0;
};

//! The options for the groups' own plans, which are only details of the bank's plan.
freq_xlating_filter_bank_options of_groups(freq_xlating_filter_bank_options options)
{
    if (options.log)
        options.log = [log = options.log](log_level level, const std::string& text) {
            log(level == log_level::info ? log_level::debug : level, text);
        };
    return options;
}

filter_selection logged(filter_selection selected,
                        const freq_xlating_filter_bank_options& options)
{
    log_to(options.log, log_level::info, "plan: " + selected.plan.text());
    return selected;
}

} // namespace

filter_selection select_rates(const freq_xlating_filter_bank_problem& problem,
                              const freq_xlating_filter_bank_options& options,
                              context_registry& registry)
{
    check_plan_options(plan_options::of(options), problem.input);
    const rates_task task(problem, options, calibrated_rates(registry));
    std::vector<filter_selection> all;
    const bool allows_shared = task.allows_shared();
    if (!allows_shared || task.has_few_groups()) {
        const auto group_options = of_groups(options);
        all.push_back(task.grouped([&](const freq_xlating_filter_bank_problem& group) {
            return select_decimation(group, group_options, registry, task.pool());
        }));
    }
    if (allows_shared && (all.empty() || !all.front().fell_back))
        for (const auto& size : task.shared_sizes())
            all.push_back(task.shared(size));
    if (all.size() == 1)
        return logged(std::move(all.front()), options);

    std::string failure;
    for (auto& one : all) {
        try {
            one.plan.measured = task.measured(*one.executor);
        } catch (const opencl_error& e) {
            failure = e.what(); // the others run on the host
            log_to(
                options.log, log_level::warning, "the host computes instead: " + failure);
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return a.plan.measured > b.plan.measured;
    });
    filter_selection& best = all.front();
    best.plan.runner_up =
        all[1].plan.engine() + " " + all[1].plan.rate_text(all[1].plan.measured);
    if (!failure.empty()) {
        best.plan.reason = failure;
        best.fell_back = true;
    }
    return logged(std::move(best), options);
}

filter_selection rates_on_host(const freq_xlating_filter_bank_problem& problem,
                               const freq_xlating_filter_bank_options& options,
                               const host_rates& rates,
                               const std::string& why)
{
    const rates_task task(problem, options, rates);
    const auto by_groups = [&] {
        return task.grouped([&](const freq_xlating_filter_bank_problem& group) {
            return decimation_on_host(group, options, rates, why, task.pool());
        });
    };
    filter_selection selected;
    if (!task.has_shared()) {
        selected = by_groups();
    } else {
        selected = task.shared(task.shared_sizes().front());
        if (task.has_few_groups()) {
            auto grouped = by_groups();
            if (grouped.plan.predicted > selected.plan.predicted)
                selected = std::move(grouped);
        }
    }
    selected.plan.reason = why;
    selected.fell_back = true;
    return selected;
}

} // namespace cldsp
