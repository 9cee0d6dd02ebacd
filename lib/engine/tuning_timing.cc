/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "tuning_timing.h"

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

constexpr int most_rounds = 25;
// By so much a point's time in a round must be below the default's in the middle one.
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
    std::vector<double> ratios{}; //!< to the default in the same round
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

double median_of(std::vector<double> numbers)
{
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
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
    for (int round = 0; round < most_rounds && (round == 0 || !over()); round++) {
        // Every other round in the other order: none always follows the same one.
        for (std::size_t i = 0; i < all.size(); i++) {
            auto& one = all[round % 2 ? all.size() - 1 - i : i];
            if (stopped())
                return std::nullopt;
            if (one.trial)
                guarded(one, [&] { one.times.add(one.trial->run()); });
        }
        for (auto& one : all)
            if (one.trial && all[0].trial)
                one.ratios.push_back(one.times.last() / all[0].times.last());
    }

    turns_result result;
    double least = infinity;
    for (std::size_t i = 0; i < all.size(); i++) {
        const auto& one = all[i];
        result.seconds.push_back(one.trial ? one.times.median() : infinity);
        if (!one.trial)
            continue;
        const double compared =
            all[0].trial ? median_of(one.ratios) : result.seconds.back();
        if (!result.winner || compared < (*result.winner == 0 ? must_win_by : least)) {
            least = compared;
            result.winner = i;
        }
    }
    return result;
}

} // namespace cldsp
