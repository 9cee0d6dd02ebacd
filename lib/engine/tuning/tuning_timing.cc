/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning/tuning_timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <stdexcept>

namespace cldsp {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr int max_rounds = 100;
// By so much another point's time must be below the default's.
constexpr double must_win_by = 0.99;

std::string number(double value)
{
    char text[40];
    std::snprintf(text, sizeof(text), "%.4g", value);
    return text;
}

//! A point on its way through the rounds.
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
        pass_over(*one.point, e.what());
    }
    if (!one.point->good())
        one.trial.reset();
}

} // namespace

double undisturbed(std::vector<double> seconds)
{
    const auto quarter =
        seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 4);
    std::nth_element(seconds.begin(), quarter, seconds.end());
    return *quarter;
}

double seconds_of_calls(const std::function<double()>& timed_call)
{
    constexpr double run_seconds = 2e-3;
    constexpr std::size_t min_calls = 7; // unless they take long
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

void run_times::add(double seconds)
{
    if (!std::isfinite(seconds) || seconds <= 0)
        throw std::runtime_error("its time was not measured");
    d_seconds.push_back(seconds);
}

void pass_over(tuned_point& point, const std::string& why)
{
    point.failure = why.empty() ? "it failed" : why;
}

void check_error(tuning_trial& trial, double tolerance, tuned_point& point)
{
    point.error = trial.check();
    if (!(point.error <= tolerance)) // also what is not a number
        pass_over(point,
                  "it computes something else: error " + number(point.error) +
                      ", at most " + number(tolerance) + " allowed");
}

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
        // Every other round in the other order: none always follows the same one.
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

} // namespace cldsp
