// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An operation: the choice of its engine, and the host in place of a device that fails.

#pragma once

#include "planning/host_rate.h"
#include "planning/lost_device.h"
#include "planning/operation_executor.h"
#include "planning/operation_variant.h"
#include "planning/selection.h"
#include "planning/trial.h"
#include "tuning/tuned_lookup.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/logger.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! What people say about the engine of an operation.
struct operation_options {
    std::string device, variant; //!< may be "auto"
    std::string precision;       //!< the one permitted; empty: there is none to choose
    logger log;
    bool at_once = false; //!< opens no device, and measures nothing
    //! Stops the planning, see plan_request.
    std::function<bool()> stopped = {};

    //! \param operation has these options; it may have others as well
    template <class Options>
    static operation_options of(const Options& operation)
    {
        return { operation.device, operation.variant, {},
                 operation.log,    operation.at_once, operation.stopped };
    }
    bool leave_all_open() const { return device == "auto" && variant == "auto"; }
    std::string key() const; //!< as text, for the key of a remembered plan
};

//! A call of fewer operations takes less time on the host than it takes to start a
//! device.
constexpr double min_device_operations = 1e6;

//! The values for variants that have nothing to tune.
struct nothing_tuned {
    tuning_values of(const device_info&, const std::string& /*variant*/) { return {}; }
    std::string text() const { return {}; }
};

/*!
 * The base of a problem, with what most operations have in common; see operation. A
 * problem hides what is different for it.
 */
struct operation_problem {
    //! The way in which data reach an OpenCL device.
    static std::string transfer(const device_info& device)
    {
        return shares_memory(device) ? "zero_copy" : "copy";
    }
    //! What the variants have to take, for the refusal of one that does not.
    std::string what_variants_take() const { return {}; }
    //! Whether the options leave everything open and the host is the best choice anyway.
    bool is_small() const { return false; }
    nothing_tuned tuned(context_registry&) const { return {}; }
    void explain(std::vector<plan_candidate>&, const operation_options&) const {}
};

//! A variant in one of its precisions.
template <class Problem>
struct operation_way {
    const typename Problem::variant* variant;
    std::string precision;
};

template <class Problem>
using variant_table = std::vector<const typename Problem::variant*>;

/*!
 * The ways to compute a problem on a device, or on the host.
 *
 * \param problem the problem
 * \param named the variant that the options name; null: those that suit the device
 * \param device the device, or the host
 * \param table all variants
 */
template <class Problem>
std::vector<operation_way<Problem>> open_ways(const Problem& problem,
                                              const typename Problem::variant* named,
                                              const device_info& device,
                                              const variant_table<Problem>& table)
{
    std::vector<operation_way<Problem>> ways;
    for (const auto* variant : table) {
        if (variant->host != device.is_host())
            continue;
        if (named ? variant == named : variant->takes(problem) && variant->suits(device))
            for (const auto& precision : variant->precisions(problem, named != nullptr))
                ways.push_back({ variant, precision });
    }
    return ways;
}

//! The candidate of a way, without a prediction or a trial.
template <class Problem>
plan_candidate candidate_of(const operation_way<Problem>& way, const device_info& device)
{
    plan_candidate c;
    c.device = device;
    c.algorithm = Problem::algorithm;
    c.variant = way.variant->name;
    c.transfer = device.is_host() ? "none" : Problem::transfer(device);
    c.precision = way.precision;
    return c;
}

//! Throws std::invalid_argument for a name that is none of the known ones.
[[noreturn]] void refuse_variant(const std::string& name,
                                 const std::vector<std::string>& known,
                                 const std::string& what_they_take);

//! The variant with a name; null for "auto".
//! \throws std::invalid_argument unless it is in the table, and takes the problem
template <class Problem>
const typename Problem::variant* named_variant(const Problem& problem,
                                               const std::string& name)
{
    if (name == "auto")
        return nullptr;
    std::vector<std::string> known;
    for (const auto* variant : Problem::variants()) {
        if (!variant->takes(problem))
            continue;
        if (variant->name == name)
            return variant;
        known.push_back(variant->name);
    }
    refuse_variant(name, known, problem.what_variants_take());
}

//! The reason why the host computes if no device was found for a variant.
//! \throws std::invalid_argument if the options name a device, which is the wrong one
std::string no_device_reason(const operation_options& options);

/*!
 * An operation, and the executor that computes it: the one that the options demand, or
 * the one that choose_plan() finds among the variants that they leave open. If no device
 * works, or if one fails while running, it is the host's.
 *
 * \tparam Problem what is computed, as a value: sizes, types, and the data that all calls
 *         share. It derives from operation_problem and has
 *         - executor: the interface of the executors, an operation_executor;
 *         - variant: the class of its variants, an operation_variant;
 *         - algorithm: the name in plans;
 *         - variants(): the variant_table of the operation;
 *         - work(), unit(): of a measured call, and the unit of 1e9 of its operations;
 *         - key(): the text that names the problem in the wisdom;
 *         - trial: the memory of a call, see executor_trial, and make_trial();
 *         - rate_name(), of_calibration(): the kind of work, see calibrated_host_rate(),
 *           and a problem of this kind that one thread computes in some microseconds
 */
template <class Problem>
class operation
{
public:
    using executor_type = typename Problem::executor;

    //! \throws std::invalid_argument for options that nothing here can satisfy
    operation(Problem its_problem, operation_options options, context_registry& registry)
        : problem(std::move(its_problem)), d_options(std::move(options))
    {
        choose(registry);
    }
    operation(const operation&) = delete;
    operation& operator=(const operation&) = delete;

    //! Has to be kept up to date: the host's executor is made for it if a device is lost.
    Problem problem;

    executor_type& executor() { return *d_selected.executor; }
    bool on_host() const { return d_selected.on_host(); }

    //! Runs \p action with the executor. If the device fails, or cannot take the call,
    //! the host takes over, and the action runs again.
    template <class Action>
    void run(const Action& action)
    {
        try {
            action(executor());
        } catch (...) {
            lose_device(why_device_is_lost());
            action(executor());
        }
    }
    //! Lets the host take over, for a reason.
    void lose_device(const std::string& why)
    {
        d_lost = device_is_lost();
        take_host(tell_lost_device(d_options.log, device_name(), why));
    }
    std::unique_ptr<executor_type> make_on_host() const { return make_on_host(problem); }

    std::string device_name() const { return d_selected.executor->device_name(); }
    std::string variant_name() const { return d_selected.executor->variant_name(); }
    std::string transfer_name() const { return d_selected.executor->transfer_name(); }
    const chosen_plan& plan() const { return d_selected.plan; }
    run_statistics statistics() const { return d_selected.executor->statistics(); }
    bool fell_back() const { return d_selected.fell_back; }
    //! Whether there was a device among the candidates.
    bool may_use_devices() const { return d_may_use_devices; }
    //! Whether late commands of a lost device, even if the host has taken over, may still
    //! access the memory of the calls.
    bool device_is_lost() const
    {
        return d_lost || (d_selected.executor && d_selected.executor->device_is_lost());
    }
    const logger& log() const { return d_options.log; }

private:
    using trial = typename Problem::trial;

    static const typename Problem::variant& of_host()
    {
        for (const auto* variant : Problem::variants())
            if (variant->host)
                return *variant;
        throw std::logic_error("an operation without a variant for the host");
    }
    static std::unique_ptr<executor_type> make_on_host(const Problem& problem)
    {
        return of_host().make(problem, {});
    }

    void take_host(const std::string& why)
    {
        selection<executor_type> host;
        host.executor = make_on_host();
        host.plan = host_plan(Problem::algorithm, of_host().name, why);
        host.fell_back = true;
        d_selected = std::move(host);
    }

    //! The operations per second of a thread of the host. If they may not be measured and
    //! are not known, 0: the host is then predicted to take forever.
    //! \param is_compared whether the host's prediction decides anything
    double host_rate(context_registry& registry, bool is_compared) const
    {
        if (d_options.at_once)
            return known_host_rate(registry, problem.rate_name()).value_or(0);
        return calibrated_host_rate(registry, problem.rate_name(), is_compared, [this] {
            const Problem small = problem.of_calibration();
            trial_calls<trial> calls(
                [&](trial_call which) { return small.make_trial(which); });
            executor_trial<executor_type, trial> one(make_on_host(small), calls);
            one.prepare(trial_call::typical);
            return small.work().operations / fastest_seconds(one);
        });
    }

    void choose(context_registry& registry)
    {
        const auto* named = named_variant(problem, d_options.variant);
        const bool host_alone =
            named ? named->host : d_options.leave_all_open() && problem.is_small();
        const auto wanted =
            host_alone ? host_instead_of_auto(d_options.device) : d_options.device;
        auto how = registry.listing(d_options.log);
        how.at_once = d_options.at_once;
        how.stopped = d_options.stopped;
        const auto devices = registry.find_devices(wanted, how);
        const bool others_follow = how.at_once && !are_devices_known(wanted, how);

        auto tuned = problem.tuned(registry);
        trial_calls<trial> calls(
            [this](trial_call which) { return problem.make_trial(which); });
        const double rate = host_rate(registry, devices.size() > 1);
        std::vector<plan_candidate> candidates;
        for (const auto& device : devices)
            for (const auto& way :
                 open_ways(problem, named, device, Problem::variants())) {
                auto c = candidate_of(way, device);
                const operation_place place{
                    device, c.transfer, c.precision, tuned.of(device, c.variant), {}
                };
                c.predicted = way.variant->predict(problem, place, rate);
                c.tuned = tuned_text(place.tuned);
                c.make = [&, place, variant = way.variant] {
                    auto opened = place;
                    if (!variant->host)
                        opened.opened = registry.get(place.device);
                    return std::make_unique<executor_trial<executor_type, trial>>(
                        variant->make(problem, opened), calls);
                };
                candidates.push_back(std::move(c));
            }
        d_may_use_devices =
            others_follow ||
            std::any_of(candidates.begin(), candidates.end(), [](const auto& c) {
                return !c.device.is_host();
            });
        if (candidates.empty() && !others_follow) {
            take_host(no_device_reason(d_options));
            return;
        }
        problem.explain(candidates, d_options);
        select(candidates, tuned.text(), registry);
        // A remembered plan may be one without the devices that nobody has looked for
        // yet.
        if (others_follow)
            d_selected.plan.provisional = true;
        if (d_selected.plan.provisional)
            d_selected.plan.exact_because.clear();
    }

    //! \param tuned the tuned values of all candidates, as text
    void select(const std::vector<plan_candidate>& candidates,
                const std::string& tuned,
                context_registry& registry)
    {
        plan_request request;
        request.problem = problem.key() + d_options.key() + tuned;
        request.items = static_cast<std::size_t>(problem.work().operations);
        request.unit = problem.unit();
        request.unit_items = 1e9;
        request.at_once = d_options.at_once;
        request.stopped = std::move(d_options.stopped);
        request.log = d_options.log;
        if (!candidates.empty())
            d_selected = select_planned<executor_type>(request, candidates, registry);
        if (candidates.empty() || d_selected.is_open()) {
            take_host("");
            d_selected.fell_back = false;
            d_selected.plan.provisional = true;
        } else if (!d_selected.executor) {
            take_host(d_selected.plan.reason);
        }
    }

    operation_options d_options;
    selection<executor_type> d_selected;
    bool d_may_use_devices = false;
    bool d_lost = false;
};

} // namespace cldsp
