// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Divides a bank's rates into groups, and measures the best ways to compute these.

#include "freq_xlating/bank_selection.h"

#include "base/arithmetic.h"
#include "base/engine_threads.h"
#include "base/thread_pool.h"
#include "direct/host_resampler.h"
#include "fast_convolution/host_multirate.h"
#include "fft/fftw_plan.h"
#include "filter/variants.h"
#include "freq_xlating/rate_groups.h"
#include "freq_xlating/rate_ways.h"
#include "freq_xlating/typical_call.h"
#include "planning/interruptions.h"
#include "planning/output_check.h"
#include "planning/planner.h"

#include <cldsp/errors.h>
#include <cldsp/plan_log.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// The time for choosing. Ways that would take longer are not tried where there is another
// one.
constexpr double max_seconds = 2;

// Ways and divisions that are predicted to take longer than the best one by this factor
// are not tried.
constexpr double hopeless = 4;

//! A part whose executor has been made.
struct made_part {
    filter_selection selected;
    double seconds = infinity; //!< of a typical call: measured, or else predicted
    bool is_measured = false;
    double predicted = infinity;
    std::size_t bytes = 0; //!< of the executor, as predicted
    std::string failure;   //!< of a device
    std::string runner_up;
};

using division = std::vector<rate_set>; // each rate is in one set

//! The options for the groups' own plans, which are only details of the bank's plan.
freq_xlating_filter_bank_options of_groups(freq_xlating_filter_bank_options options)
{
    options.running = nullptr; // it is the rate of the bank
    options.log = without_news(options.log);
    return options;
}

//! Chooses how a bank whose channels have different rates is computed.
class rates_planner
{
public:
    /*!
     * \param named the options that decide which ways are open
     * \param has_host,has_device whether the options leave the host or a device open
     */
    rates_planner(const filter_request& request,
                  const plan_options& named,
                  bool has_host,
                  bool has_device)
        : d_started(planning_clock()),
          d_request(request),
          d_options(request.options),
          d_group_options(of_groups(request.options)),
          d_named(named),
          d_has_host(has_host),
          d_has_device(has_device),
          d_measures(request.registry),
          d_pool(std::make_shared<thread_pool>(d_options.threads)),
          d_ways(request, named, has_host, has_device, d_pool->threads())
    {
    }

    filter_selection choose()
    {
        const auto all = divisions();
        const double best = seconds_of(all.front());
        const division* chosen = nullptr;
        double chosen_seconds = infinity, runner_up_seconds = infinity;
        std::string chosen_text, runner_up;
        std::exception_ptr lack;
        for (std::size_t i = 0; i < all.size(); i++) {
            const division& one = all[i];
            if (chosen && (seconds_of(one) > hopeless * best || !is_affordable(one) ||
                           made_bytes() + missing_bytes(one) > d_ways.max_bytes()))
                continue;
            double seconds = 0;
            try {
                seconds = make_all(one);
            } catch (const std::bad_alloc&) {
                // Another division may need less memory.
                lack = std::current_exception();
                tell_lack("a division into " + std::to_string(one.size()) +
                          " sets of rates");
                drop_made(chosen, i + 1 < all.size() ? &all[i + 1] : nullptr);
                continue;
            }
            const auto text = text_of(one, seconds);
            if (!chosen || seconds < chosen_seconds) {
                runner_up = chosen_text;
                runner_up_seconds = chosen_seconds;
                chosen = &one;
                chosen_seconds = seconds;
                chosen_text = text;
            } else if (seconds < runner_up_seconds) {
                runner_up = text;
                runner_up_seconds = seconds;
            }
            drop_made(chosen, i + 1 < all.size() ? &all[i + 1] : nullptr);
        }
        if (!chosen)
            std::rethrow_exception(lack);
        return joined(*chosen, runner_up);
    }

private:
    double elapsed() const { return planning_clock() - d_started; }
    //! Never throws where the host stands in for a device in a running stream.
    void throw_if_stopped() const
    {
        if (d_measures && d_options.stopped && d_options.stopped())
            throw planning_stopped();
    }
    double rate_of(double seconds) const
    {
        return static_cast<double>(d_ways.items()) / seconds;
    }

    double seconds_of(const division& sets)
    {
        double seconds = 0;
        for (const auto& set : sets)
            seconds += d_ways.seconds_of(set);
        return seconds;
    }
    double making_seconds(const part_way& way) const
    {
        return way.making + fftw_seconds() * static_cast<double>(way.fftw_plans);
    }
    double fftw_seconds() const;
    bool is_affordable(const division& sets);
    std::size_t missing_bytes(const division& sets);
    std::size_t made_bytes() const;
    double make_all(const division& sets);
    void drop_made(const division* best, const division* next);
    void tell_lack(const std::string& what) const
    {
        log_to(d_options.log,
               log_level::warning,
               what + " is left out: there is not enough memory");
    }
    std::vector<division> divisions();
    division merged();
    made_part& made(const rate_set& set);
    filter_selection make(const bank_part& part, const part_way& way);
    filter_selection make_grouped_way(const bank_part& part);
    double measure(const bank_part& part, filter_executor& executor) const;
    std::string text_of(const division& sets, double seconds);
    filter_selection joined(const division& sets, const std::string& runner_up);

    const double d_started;
    const filter_request& d_request;
    const freq_xlating_filter_bank_options& d_options;
    const freq_xlating_filter_bank_options d_group_options;
    const plan_options d_named;
    const bool d_has_host, d_has_device;
    const bool d_measures; // otherwise all is chosen by the predictions
    const std::shared_ptr<thread_pool> d_pool;
    rate_ways d_ways;
    std::size_t d_parts_to_make = 1;
    std::map<rate_set, made_part> d_made;
};

//! The time for one of FFTW's plans.
double rates_planner::fftw_seconds() const
{
    if (!d_measures || fftw_plan::known_clock() == fftw_clock::coarse)
        return 0.02;
    const double left = std::max(0.0, max_seconds - elapsed());
    return std::clamp(
        left / static_cast<double>(4 * std::max<std::size_t>(1, d_parts_to_make)),
        0.02,
        fftw_planning_seconds);
}

bool rates_planner::is_affordable(const division& sets)
{
    double seconds = elapsed();
    for (const auto& set : sets)
        if (!d_made.count(set) && !d_ways.of(set).empty())
            seconds += making_seconds(d_ways.of(set).front());
    return seconds < max_seconds;
}

//! The bytes that the parts of a division would add to those that are made.
std::size_t rates_planner::missing_bytes(const division& sets)
{
    std::size_t bytes = 0;
    for (const auto& set : sets)
        if (!d_made.count(set) && !d_ways.of(set).empty())
            bytes += d_ways.of(set).front().bytes;
    return bytes;
}

std::size_t rates_planner::made_bytes() const
{
    std::size_t bytes = 0;
    for (const auto& one : d_made)
        bytes += one.second.bytes;
    return bytes;
}

//! Makes the parts of a division. Returns the seconds of a typical call.
double rates_planner::make_all(const division& sets)
{
    d_parts_to_make = sets.size();
    double seconds = 0;
    for (const auto& set : sets) {
        seconds += made(set).seconds;
        d_parts_to_make--;
    }
    return seconds;
}

//! Drops the parts that neither of two divisions has.
void rates_planner::drop_made(const division* best, const division* next)
{
    const auto has = [](const division* sets, const rate_set& set) {
        return sets && std::find(sets->begin(), sets->end(), set) != sets->end();
    };
    for (auto one = d_made.begin(); one != d_made.end();)
        if (has(best, one->first) || has(next, one->first))
            ++one;
        else
            one = d_made.erase(one);
}

/*!
 * Divides the rates into sets that share a block where that pays, in one pass: each rate
 * joins the set for which the predicted time becomes shortest, or stays alone.
 */
division rates_planner::merged()
{
    constexpr std::size_t max_compared = 16; // sets that a rate may join
    constexpr double worth = 0.97;
    constexpr double enough_seconds = max_seconds / 4;
    std::vector<std::size_t> order(d_ways.rates().size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    // Rates of small decimations first: their blocks are short, and most others' are
    // multiples of them.
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return d_ways.rates()[a].decimation < d_ways.rates()[b].decimation;
    });
    division sets;
    for (const std::size_t rate : order) {
        const double alone = d_ways.seconds_of({ rate });
        double best_gain = 0;
        std::size_t best = sets.size();
        const std::size_t first =
            sets.size() > max_compared ? sets.size() - max_compared : 0;
        rate_set joined;
        // The rest of very many rates stay alone.
        for (std::size_t i = first; i < sets.size() && elapsed() < enough_seconds; i++) {
            rate_set with = sets[i];
            with.insert(std::upper_bound(with.begin(), with.end(), rate), rate);
            const double together = d_ways.seconds_of(with);
            const double apart = alone + d_ways.seconds_of(sets[i]);
            const double gain = apart - together / worth;
            if (gain > best_gain ||
                (best == sets.size() && apart == infinity && together < infinity)) {
                best_gain = gain;
                best = i;
                joined.swap(with);
            }
            d_ways.forget(with);
        }
        if (best == sets.size()) {
            sets.push_back({ rate });
        } else {
            sets[best].swap(joined);
            d_ways.forget(joined);
        }
    }
    // In the order of divisions(), which finds equal ones.
    std::sort(sets.begin(), sets.end());
    return sets;
}

//! The divisions that are worth a trial, the best predicted one first. There is always
//! one.
std::vector<division> rates_planner::divisions()
{
    division single;
    for (std::size_t i = 0; i < d_ways.rates().size(); i++)
        single.push_back({ i });
    std::vector<division> all;
    const auto add = [&](const division& one) {
        if (std::isfinite(seconds_of(one)) &&
            std::find(all.begin(), all.end(), one) == all.end())
            all.push_back(one);
    };
    add(single);
    if (d_has_host && d_ways.rates().size() > 1 && d_named.allows(multirate_variant())) {
        rate_set whole(d_ways.rates().size());
        std::iota(whole.begin(), whole.end(), std::size_t(0));
        add(merged());
        add({ whole });
    }
    if (all.empty())
        for (const auto& set : single)
            if (d_ways.of(set).empty())
                d_ways.refuse(d_ways.part_of(set));
    if (all.empty())
        all.push_back(single); // whose groups the devices predict
    const auto place_of = [&](const division& one) {
        return std::make_pair(missing_bytes(one) > d_ways.max_bytes(), seconds_of(one));
    };
    std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) {
        return place_of(a) < place_of(b);
    });
    // Predictions are those of the host, so that groups on a device come first.
    if (d_has_device) {
        const auto its = std::find(all.begin(), all.end(), single);
        if (its != all.end())
            std::rotate(all.begin(), its, its + 1);
    }
    return all;
}

filter_selection rates_planner::make(const bank_part& part, const part_way& way)
{
    const fftw_planning_limit limit(fftw_seconds());
    filter_selection selected;
    auto& plan = selected.plan;
    plan.device = plan.device_name = "host";
    plan.transfer = "none";
    plan.predicted = rate_of(way.seconds);
    if (way.how == part_way::kind::grouped)
        return make_grouped_way(part);
    if (way.how == part_way::kind::resampled) {
        plan.algorithm = "direct";
        plan.variant = way.variant;
        selected.executor =
            make_host_resampler(way.variant, part.prepared, d_pool, way.item_seconds);
        return selected;
    }
    std::vector<double> kept;
    for (const auto& channel : part.multirate)
        kept.push_back(channel.kept);
    plan.algorithm = "fast_convolution";
    plan.variant = multirate_variant();
    plan.fft_size = way.fft_size;
    selected.executor = make_host_multirate(
        part.prepared,
        [shape = part.shape,
         channels = part.multirate,
         rates = d_request.rates,
         max_items = part.block.max_items_of_output,
         most = d_ways.max_bytes(),
         size = way.fft_size](const multirate_block& block) {
            if (block.max_items_of_output == max_items)
                return size;
            auto sizes = predict_multirate(block, shape, channels, rates, 1, most);
            if (sizes.empty())
                sizes = predict_multirate(block, shape, channels, rates, 1);
            return sizes.front().fft_size;
        },
        kept,
        d_options.accuracy,
        d_pool,
        way.item_seconds);
    return selected;
}

//! Adds a plan to that of several executors, with commas between different names.
void add_plan(const chosen_plan& one, chosen_plan& all)
{
    add_name(one.device, all.device);
    add_name(one.device_name, all.device_name);
    add_name(one.algorithm, all.algorithm);
    add_name(one.variant, all.variant);
    add_name(one.transfer, all.transfer);
    if (!one.reason.empty())
        add_name(one.reason, all.reason);
}

filter_selection rates_planner::make_grouped_way(const bank_part& part)
{
    const double seconds = std::max(0.0, max_seconds - elapsed()) /
                           static_cast<double>(std::max<std::size_t>(1, d_parts_to_make));
    filter_selection all;
    std::vector<std::unique_ptr<filter_executor>> executors;
    double predicted = 0;
    for (const auto& group : part.groups) {
        const auto problem = group.problem(part.problem);
        auto one = select_group({ problem,
                                  d_group_options,
                                  d_request.rates,
                                  d_request.registry,
                                  d_request.why,
                                  d_pool,
                                  seconds });
        predicted += one.plan.predicted > 0
                         ? static_cast<double>(d_ways.items()) / one.plan.predicted /
                               static_cast<double>(group.rate.interpolation)
                         : infinity;
        add_plan(one.plan, all.plan);
        all.fell_back = all.fell_back || one.fell_back;
        executors.push_back(std::move(one.executor));
    }
    all.plan.predicted = rate_of(predicted);
    all.executor = make_grouped(part.groups, std::move(executors), part.prepared);
    return all;
}

//! The seconds of a typical call.
double rates_planner::measure(const bank_part& part, filter_executor& executor) const
{
    // The first call does not count, because it makes objects that later calls reuse,
    // unless it takes long.
    constexpr int min_calls = 4, max_calls = 12;
    constexpr double enough_seconds = 3e-3, long_seconds = 0.2;
    const typical_call call(part.prepared, d_ways.items());
    double fastest = infinity, all = 0;
    // Beside a stream, an idle thread is interrupted all the time. It repeats such calls.
    int may_repeat = is_idle_thread() ? 2 * max_calls : 0;
    for (int i = 0; i < max_calls && (i < min_calls || all < enough_seconds); i++) {
        throw_if_stopped();
        const interruptions seen;
        const auto start = std::chrono::steady_clock::now();
        try {
            call.run(executor);
        } catch (const opencl_error&) {
            call.keep(); // late commands of a lost device may still use it
            throw;
        }
        const std::chrono::duration<double> took =
            std::chrono::steady_clock::now() - start;
        if (i > 0 && may_repeat > 0 && took.count() < long_seconds && seen.any()) {
            fastest = std::min(fastest, took.count());
            may_repeat--;
            i--;
            continue;
        }
        all += took.count();
        if (i > 0 || took.count() > long_seconds)
            fastest = std::min(fastest, took.count());
        if (all > long_seconds && std::isfinite(fastest))
            break;
    }
    executor.clear_statistics();
    return fastest;
}

//! The best way of a part. Of the ways that are promising, as many are measured as the
//! time permits.
made_part& rates_planner::made(const rate_set& set)
{
    const auto known = d_made.find(set);
    if (known != d_made.end())
        return known->second;
    const auto& part = d_ways.part_of(set);
    auto all = d_ways.of(set);
    // A way that takes long to make comes last.
    const double limit =
        std::max(0.3,
                 (max_seconds - elapsed()) /
                     static_cast<double>(std::max<std::size_t>(1, d_parts_to_make)));
    std::stable_partition(all.begin(), all.end(), [&](const auto& way) {
        return way.how == part_way::kind::grouped || making_seconds(way) < limit;
    });
    // So does one that exceeds the memory that is left.
    const auto fits = [&](const part_way& way, std::size_t bytes) {
        return made_bytes() + bytes + way.bytes <= d_ways.max_bytes();
    };
    std::stable_partition(
        all.begin(), all.end(), [&](const auto& way) { return fits(way, 0); });
    made_part best;
    std::exception_ptr failure;
    const double started = elapsed();
    double fastest_prediction = infinity;
    for (const auto& way : all)
        fastest_prediction = std::min(fastest_prediction, way.seconds);
    for (const auto& way : all) {
        throw_if_stopped();
        const bool is_device = way.how == part_way::kind::grouped && d_has_device;
        if (best.selected.executor) {
            if (!d_measures || best.selected.fell_back)
                break;
            if (!is_device && (way.seconds > hopeless * fastest_prediction ||
                               elapsed() - started + making_seconds(way) > limit))
                continue;
            if (!fits(way, best.bytes))
                continue;
        }
        made_part one;
        try {
            one.bytes = way.bytes;
            one.selected = make(part, way);
            // Groups that replace a device have no predictions of their own.
            if (!(one.selected.plan.predicted > 0))
                one.selected.plan.predicted = rate_of(way.seconds);
            one.predicted = one.seconds =
                static_cast<double>(d_ways.items()) / one.selected.plan.predicted;
            // Groups alone were measured when they were made.
            if (d_measures && !(is_device && all.size() == 1)) {
                one.seconds = measure(part, *one.selected.executor);
                one.is_measured = true;
                one.selected.plan.measured = rate_of(one.seconds);
            }
        } catch (const opencl_error& e) {
            failure = std::current_exception();
            best.failure = e.what();
            log_to(d_options.log,
                   log_level::warning,
                   "the host computes instead: " + best.failure);
            continue;
        } catch (const fftw_is_busy&) {
            failure = std::current_exception();
            continue; // with another way
        } catch (const std::bad_alloc&) {
            // Another way may need less memory.
            if (!failure)
                failure = std::current_exception();
            tell_lack("a way to compute channels of " + std::to_string(set.size()) +
                      " rates");
            continue;
        }
        log_to(d_options.log,
               log_level::debug,
               "channels of " + std::to_string(set.size()) +
                   " rates: " + one.selected.plan.engine() + " " +
                   one.selected.plan.rate_text(rate_of(one.seconds)));
        if (!best.selected.executor || one.seconds < best.seconds) {
            one.failure = best.failure;
            if (best.selected.executor)
                one.runner_up = best.selected.plan.engine() + " " +
                                best.selected.plan.rate_text(rate_of(best.seconds));
            best = std::move(one);
        } else if (best.runner_up.empty()) {
            best.runner_up = one.selected.plan.engine() + " " +
                             one.selected.plan.rate_text(rate_of(one.seconds));
        }
    }
    if (!best.selected.executor) {
        if (failure)
            std::rethrow_exception(failure);
        d_ways.refuse(part);
    }
    if (!best.failure.empty()) {
        best.selected.plan.reason = best.failure;
        best.selected.fell_back = true;
    }
    return d_made[set] = std::move(best);
}

//! A division of which a person reads that it was slower.
std::string rates_planner::text_of(const division& sets, double seconds)
{
    const auto& plan = made(sets.front()).selected.plan;
    const std::string engine = sets.size() == 1 ? plan.engine()
                               : sets.size() == d_ways.rates().size()
                                   ? "each rate alone"
                                   : std::to_string(sets.size()) + " sets of rates";
    return engine + " " + plan.rate_text(rate_of(seconds));
}

filter_selection rates_planner::joined(const division& sets, const std::string& runner_up)
{
    if (sets.size() == 1) {
        auto& only = made(sets.front());
        only.selected.plan.runner_up = runner_up.empty() ? only.runner_up : runner_up;
        return std::move(only.selected);
    }
    filter_selection all;
    std::vector<std::vector<std::size_t>> channels;
    std::vector<std::unique_ptr<filter_executor>> executors;
    double predicted = 0, measured = 0;
    for (const auto& set : sets) {
        auto& one = made(set);
        add_plan(one.selected.plan, all.plan);
        all.fell_back = all.fell_back || one.selected.fell_back;
        predicted += one.predicted;
        measured += one.is_measured ? one.seconds : infinity;
        channels.push_back(d_ways.part_of(set).channels);
        executors.push_back(std::move(one.selected.executor));
    }
    all.plan.predicted = rate_of(predicted);
    if (std::isfinite(measured))
        all.plan.measured = rate_of(measured);
    all.plan.runner_up = runner_up;
    all.executor = make_divided(channels, std::move(executors));
    return all;
}

//! Any way that the host has, because the stream has to go on.
filter_selection choose_on_host(const filter_request& request)
{
    plan_options any = plan_options::of(request.options);
    any.algorithm = any.variant = "auto";
    auto selected = rates_planner(request, any, true, false).choose();
    selected.plan.reason = request.why;
    selected.fell_back = true;
    return selected;
}

//! The host's best way by the predictions alone.
filter_selection choose_at_once(const filter_request& request)
{
    const auto named = plan_options::of(request.options);
    check_plan_options(named, request.problem.input);
    const auto places = open_places(named, *request.registry);
    const bool has_host =
        std::any_of(places.begin(), places.end(), [](const plan_place& place) {
            return place.device.is_host();
        });
    const auto predicted = request.in_place_of_device("");
    auto selected =
        host_at_once(has_host ? rates_planner(predicted, named, true, false).choose()
                              : choose_on_host(predicted));
    tell_details(request.options.log, selected.plan);
    return selected;
}

filter_selection choose_measured(const filter_request& request)
{
    const auto& options = request.options;
    const auto named = plan_options::of(options);
    check_plan_options(named, request.problem.input);
    bool has_host = false;
    std::set<std::string> devices;
    for (const auto& place : open_places(named, *request.registry)) {
        has_host = has_host || place.device.is_host();
        if (!place.device.is_host())
            devices.insert(place.device.name);
    }
    const bool has_device = !devices.empty();
    tell_wait(
        *request.registry, options.log, { devices.begin(), devices.end() }, max_seconds);
    fftw_memory transforms(request.registry->wisdom());
    filter_selection selected;
    try {
        selected = rates_planner(request, named, has_host, has_device).choose();
    } catch (const opencl_error& e) {
        // made() has told why.
        selected = choose_on_host(request.in_place_of_device(e.what()));
    }
    transforms.save();
    tell_details(options.log, selected.plan);
    return selected;
}

} // namespace

filter_selection select_bank(const filter_request& request)
{
    if (request.problem.has_one_decimation())
        return select_group(request);
    if (!request.registry)
        return choose_on_host(request);
    return request.options.at_once ? choose_at_once(request) : choose_measured(request);
}

bool bank_is_outdated(const chosen_plan& plan, const filter_request& request)
{
    return request.problem.has_one_decimation() && group_is_outdated(plan, request);
}

} // namespace cldsp
