// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the points that a search chooses, checks their outputs, and keeps the fastest.

#include <cldsp/tuner.h>

#include "base/arithmetic.h"
#include "base/reason.h"
#include "base/text_stream.h"
#include "tuning/search.h"
#include "tuning/tuner_internal.h"

#include <cldsp/errors.h>

#include <unordered_map>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

constexpr int max_rounds = 100;
// To win, another point's time must be below this fraction of the default's time.
constexpr double must_win_by = 0.99;

//! If each of a point's first hopeless_runs runs is this many times slower than the best
//! point, the point gets no more runs.
constexpr double hopeless_factor = 3;
constexpr std::size_t hopeless_runs = 2;

// The fraction of the time for the search; the rest is for measuring the fastest points
// again.
constexpr double search_share = 0.8;
// If the tuning is stopped before the fastest points are measured again, a point wins
// only if its first time is below this fraction of the default's time.
constexpr double clearly_faster = 0.9;

std::string milliseconds(double seconds) { return number_text(seconds * 1e3, 4) + " ms"; }

//! The lower quartile of one or more times. Interruptions only make a run longer, so that
//! the shorter times are the more reliable ones.
double undisturbed(std::vector<double> seconds)
{
    const auto quarter =
        seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 4);
    std::nth_element(seconds.begin(), quarter, seconds.end());
    return *quarter;
}

//! The times of one point's runs.
class run_times
{
public:
    //! \throws std::runtime_error if \p seconds is no valid time
    void add(double seconds);
    std::size_t count() const { return d_seconds.size(); }
    double seconds() const { return undisturbed(d_seconds); }
    double least() const { return *std::min_element(d_seconds.begin(), d_seconds.end()); }

private:
    std::vector<double> d_seconds;
};

void run_times::add(double seconds)
{
    if (!std::isfinite(seconds) || seconds <= 0)
        throw std::runtime_error("its time was not measured");
    d_seconds.push_back(seconds);
}

//! Marks a point as failed.
void pass_over(tuned_point& point, const std::string& why)
{
    point.failure = why.empty() ? "it failed" : why;
}

//! Runs the check of a trial. A point with wrong results is marked as failed.
void check_error(tuning_trial& trial, double tolerance, tuned_point& point)
{
    point.error = trial.check();
    if (!(point.error <= tolerance)) // also true for an error that is not a number
        pass_over(point,
                  "it computes something else: error " + number_text(point.error, 4) +
                      ", at most " + number_text(tolerance, 4) + " allowed");
}

//! A point that takes part in the rounds of measure_in_turns().
struct contestant {
    tuned_point* point;
    std::unique_ptr<tuning_trial> trial{}; //!< null: failed
    run_times times{};
};

template <class Action>
void guarded(contestant& one, const Action& action)
{
    try {
        action();
    } catch (const std::exception& e) {
        pass_over(*one.point, reason_of(e));
    }
    if (!one.point->good())
        one.trial.reset();
}

//! The times of points that were run in turns; infinity for points that failed.
struct turns_result {
    std::vector<double> seconds;
    std::optional<std::size_t> winner; //!< index of the point; empty: all failed
};

/*!
 * Runs points one after the other, round by round, so that a disturbance of the machine
 * disturbs all of them. The first point is the default. It wins unless another point is
 * faster by more than the remaining noise. Each point is checked once more, and those
 * that fail are left out.
 *
 * \param kernel the kernel that is tuned
 * \param points the points, the default first
 * \param stopped returns true to stop at once
 * \param over asked after each round; returns true to end the measurement
 * \return empty if it was stopped
 */
std::optional<turns_result> measure_in_turns(tunable& kernel,
                                             const std::vector<tuned_point*>& points,
                                             const std::function<bool()>& stopped,
                                             const std::function<bool()>& over)
{
    std::vector<contestant> all;
    for (auto* point : points) {
        if (stopped())
            return std::nullopt;
        all.push_back({ point });
        auto& one = all.back();
        if (point->good())
            guarded(one, [&] {
                one.trial = kernel.prepare(point->point);
                check_error(*one.trial, kernel.tolerance(), *point);
            });
    }
    for (int round = 0; round < max_rounds && (round == 0 || !over()); round++) {
        // Every other round runs in the opposite order, so that no point always follows
        // the same one.
        for (std::size_t i = 0; i < all.size(); i++) {
            auto& one = all[round % 2 ? all.size() - 1 - i : i];
            if (stopped())
                return std::nullopt;
            if (one.trial)
                guarded(one, [&] { one.times.add(one.trial->run()); });
        }
    }

    turns_result result;
    for (const auto& one : all) {
        result.seconds.push_back(one.trial ? one.times.seconds() : infinity);
        const std::size_t i = result.seconds.size() - 1;
        if (!one.trial)
            continue;
        const double to_beat = !result.winner        ? infinity
                               : *result.winner == 0 ? must_win_by * result.seconds[0]
                                                     : result.seconds[*result.winner];
        if (result.seconds[i] < to_beat)
            result.winner = i;
    }
    return result;
}

double steady_seconds()
{
    using clock = std::chrono::steady_clock;
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
}

void check(const tuning_options& options)
{
    if (!std::isfinite(options.seconds) || options.seconds <= 0)
        throw_invalid("seconds", number_text(options.seconds), "finite and above 0");
    const auto positive = [](const char* name, std::size_t value) {
        if (value < 1)
            throw_invalid(name, std::to_string(value), "1 or more");
    };
    positive("evaluations", options.evaluations);
    positive("runs", options.runs);
    positive("leaders", options.leaders);
}

//! One tuning of one kernel.
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
                // The default is measured even if there is no time left.
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

    //! Measures one point. \return false: stopped before the point was measured
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
            pass_over(measured, reason_of(e));
        }
        if (!measured.good())
            log_to(d_options.log,
                   log_level::debug,
                   measured.point.text() + " is passed over: " + measured.failure);
        const double seconds = measured.good() ? measured.seconds : infinity;
        d_known[index] = seconds;
        d_search->tell(index, seconds);
        d_result.points.push_back(std::move(measured));
        if (seconds < best_seconds())
            d_best = d_result.points.size() - 1;
        return true;
    }

    double best_seconds() const
    {
        return d_best ? d_result.points[*d_best].seconds : infinity;
    }

    //! Runs a point several times, a slow one fewer times. \return false: stopped
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

    //! Measures the fastest points and the default in turns. \return false: stopped
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
    std::unordered_map<std::size_t, double> d_known; //!< seconds by number of the point
    std::optional<std::size_t> d_best;               //!< index in the list of the result
    tuning_result d_result;
};

} // namespace

double seconds_of_calls(const std::function<double()>& timed_call)
{
    constexpr double run_seconds = 2e-3;
    constexpr std::size_t min_calls = 7; // unless calls take long
    constexpr double slow_seconds = 50e-3;
    constexpr std::size_t max_calls = 64;
    std::vector<double> times;
    double sum = 0;
    do {
        times.push_back(timed_call());
        sum += times.back();
    } while (times.size() < max_calls &&
             (sum < run_seconds || (times.size() < min_calls && sum < slow_seconds)));
    return undisturbed(std::move(times));
}

std::string tuning_problem::text() const
{
    text_stream all;
    all.precision(15);
    all << type;
    const char* separator = type.empty() ? "" : " ";
    for (const auto& [name, value] : numbers) {
        all << separator << name << '=' << value;
        separator = " ";
    }
    return all.str();
}

std::string tuning_ending_text(tuning_ending ending)
{
    switch (ending) {
    case tuning_ending::finished:
        return "every point of the strategy was measured";
    case tuning_ending::evaluations:
        return "as many points as allowed were measured";
    case tuning_ending::time:
        return "the time was over";
    default:
        return "it was stopped";
    }
}

double tuning_result::speedup() const
{
    return best && std::isfinite(default_seconds) && seconds > 0
               ? default_seconds / seconds
               : 1;
}

std::string tuning_result::text() const
{
    std::string all = strategy + ": " + std::to_string(points.size()) + " points in " +
                      fixed_text(elapsed, 1) + " s";
    if (failed)
        all += ", " + std::to_string(failed) + " of them passed over";
    all += "; " + tuning_ending_text(ending) + "; ";
    if (!best)
        return all + "none was right";
    all += "best: " + points[*best].point.text() + ", " + milliseconds(seconds);
    if (!points[0].good())
        return all + "; the default is passed over: " + points[0].failure;
    return all + (*best == 0 ? ", the default"
                             : ", " + fixed_text(speedup(), 2) +
                                   " times as fast as the default");
}

tuning_result tune(tunable& kernel, const tuning_options& options)
{
    return tuning(kernel, options).run();
}

} // namespace cldsp
