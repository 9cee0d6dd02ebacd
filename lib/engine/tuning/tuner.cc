/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/tuning_search.h"
#include "tuning/tuning_timing.h"

#include <cldsp/errors.h>

#include <unordered_map>
#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace cldsp {

namespace {

// The part of the time for the search; the rest is for measuring the fastest again.
constexpr double search_share = 0.8;
// Without that, a point must be this much faster than the default to be taken.
constexpr double clearly_faster = 0.9;

double steady_seconds()
{
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

void check(const tuning_options& options)
{
    if (!std::isfinite(options.seconds) || options.seconds <= 0)
        throw_invalid("seconds", std::to_string(options.seconds), "finite and above 0");
    const auto positive = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    positive("evaluations", options.evaluations);
    positive("runs", options.runs);
    positive("leaders", options.leaders);
}

//! The one tuning of a kernel.
class tuning
{
public:
    tuning(tunable& kernel, const tuning_options& options)
        : d_kernel(kernel),
          d_options(options),
          d_now(options.now ? options.now : steady_seconds),
          d_start(d_now())
    {
        check(options);
        const auto start = kernel.space().index_of(kernel.default_point());
        if (!start)
            throw_invalid("default point",
                          kernel.default_point().text(),
                          "in the space: " +
                              kernel.space().why_not({}, kernel.default_point()));
        d_default = *start;
        d_search = make_tuning_search(options.strategy,
                                      { kernel.space(),
                                        d_default,
                                        options.seed,
                                        options.evaluations,
                                        kernel.work_groups() });
        d_result.strategy = options.strategy;
    }

    tuning_result run()
    {
        d_result.ending = search();
        if (d_result.ending == tuning_ending::stopped || !confirm())
            choose_unconfirmed();
        d_result.elapsed = elapsed();
        for (const auto& p : d_result.points)
            d_result.failed += !p.good();
        log_to(d_options.log,
               log_level::debug,
               d_kernel.family() + ", " + d_kernel.problem().text() + ": " +
                   d_result.text());
        return std::move(d_result);
    }

private:
    double elapsed() const { return d_now() - d_start; }
    bool stopped() const { return d_options.stopped && d_options.stopped(); }

    tuning_ending search()
    {
        const std::size_t most = std::min(d_options.evaluations, d_search->points());
        const double seconds = search_share * d_options.seconds;
        std::optional<std::size_t> next = d_default;
        while (next) {
            if (const auto known = d_known.find(*next); known != d_known.end()) {
                d_search->tell(*next, known->second);
            } else {
                if (stopped())
                    return tuning_ending::stopped;
                if (d_result.points.size() == d_options.evaluations)
                    return tuning_ending::evaluations;
                // The default is measured in any case.
                if (!d_known.empty() && elapsed() >= seconds)
                    return tuning_ending::time;
                if (!measure(*next))
                    return tuning_ending::stopped;
                report(most);
            }
            next = d_search->next(progress(most, seconds));
        }
        return tuning_ending::finished;
    }

    double progress(std::size_t most, double seconds) const
    {
        const double by_count =
            static_cast<double>(d_result.points.size()) / static_cast<double>(most);
        return std::min(std::max(by_count, elapsed() / seconds), 1.0);
    }

    //! \return false: stopped, and the point is not known
    bool measure(std::size_t index)
    {
        tuned_point measured;
        measured.point = d_kernel.space().at(index);
        try {
            const auto trial = d_kernel.prepare(measured.point);
            check_error(*trial, d_kernel.tolerance(), measured);
            if (measured.good() && !time_runs(*trial, measured))
                return false;
        } catch (const std::exception& e) {
            pass_over(measured, e.what());
        }
        if (!measured.good())
            log_to(d_options.log,
                   log_level::debug,
                   measured.point.text() + " is passed over: " + measured.failure);
        const double seconds =
            measured.good() ? measured.seconds : std::numeric_limits<double>::infinity();
        d_known[index] = seconds;
        d_search->tell(index, seconds);
        d_result.points.push_back(std::move(measured));
        if (seconds < best_seconds())
            d_best = d_result.points.size() - 1;
        return true;
    }

    double best_seconds() const
    {
        return d_best ? d_result.points[*d_best].seconds
                      : std::numeric_limits<double>::infinity();
    }

    //! Several runs, fewer of slow points. \return false: stopped
    bool time_runs(tuning_trial& trial, tuned_point& measured) const
    {
        run_times times;
        while (times.count() < d_options.runs) {
            if (stopped())
                return false;
            times.add(trial.run());
            const bool hopeless = times.count() >= hopeless_runs &&
                                  times.least() > hopeless_factor * best_seconds();
            if (hopeless || elapsed() >= search_share * d_options.seconds)
                break;
        }
        measured.seconds = times.seconds();
        return true;
    }

    void report(std::size_t most) const
    {
        if (!d_options.progress)
            return;
        tuning_progress now;
        now.done = d_result.points.size();
        now.of = most;
        now.seconds = elapsed();
        now.current = &d_result.points.back();
        now.best = d_best ? &d_result.points[*d_best] : nullptr;
        d_options.progress(now);
    }

    //! Measures the fastest and the default in turns. \return false: stopped
    bool confirm()
    {
        std::vector<std::size_t> order;
        for (std::size_t i = 1; i < d_result.points.size(); i++)
            if (d_result.points[i].good())
                order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return d_result.points[a].seconds < d_result.points[b].seconds;
        });
        order.resize(std::min(order.size(), d_options.leaders));
        std::vector<tuned_point*> points{ &d_result.points[0] };
        for (const auto i : order)
            points.push_back(&d_result.points[i]);
        const auto again = measure_in_turns(
            d_kernel,
            points,
            [&] { return stopped(); },
            [&] { return elapsed() >= d_options.seconds; });
        if (!again)
            return false;
        d_result.confirmed = true;
        d_result.default_seconds = again->seconds[0];
        if (again->winner) {
            d_result.seconds = again->seconds[*again->winner];
            d_result.best = points[*again->winner] - d_result.points.data();
        }
        return true;
    }

    void choose_unconfirmed()
    {
        if (d_result.points.empty())
            return;
        d_result.default_seconds = d_result.points[0].seconds;
        if (d_result.points[0].good() &&
            best_seconds() > clearly_faster * d_result.default_seconds)
            d_result.best = 0;
        else
            d_result.best = d_best;
        if (d_result.best)
            d_result.seconds = d_result.points[*d_result.best].seconds;
    }

    tunable& d_kernel;
    const tuning_options& d_options;
    std::function<double()> d_now;
    double d_start;
    std::size_t d_default = 0;
    std::unique_ptr<tuning_search> d_search;
    std::unordered_map<std::size_t, double> d_known; //!< seconds by a point's number
    std::optional<std::size_t> d_best;               //!< in the result's list
    tuning_result d_result;
};

} // namespace

tuning_result tune(tunable& kernel, const tuning_options& options)
{
    return tuning(kernel, options).run();
}

} // namespace cldsp
