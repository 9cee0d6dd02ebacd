/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "measure.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace cldsp::bench {

namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point start)
{
    return std::chrono::duration<double>(clock::now() - start).count();
}

double timed_call(candidate& c)
{
    const auto start = clock::now();
    c.call();
    return seconds_since(start);
}

//! Outputs against the expected ones, and a call or two that page memory in.
void check_and_warm_up(candidate& c,
                       const expected_outputs* expected,
                       const measuring& how,
                       measurement& m)
{
    c.begin();
    if (expected)
        m.error_db = expected->error_db(c.first_outputs());
    const double kernel_before = c.kernel_seconds();
    const double seconds = timed_call(c);
    if (seconds > how.longest_call) {
        m.seconds = { seconds };
        const double kernel = c.kernel_seconds() - kernel_before;
        if (kernel > 0)
            m.kernel_seconds = { kernel };
    }
    c.end();
    m.items = c.items();
    m.note = c.note();
}

void repeat(candidate& c, const measuring& how, measurement& m)
{
    c.begin();
    if (m.seconds.empty() || m.seconds.back() < how.seconds)
        c.call(); // brings caches and workers back from the candidate before
    const double kernel_before = c.kernel_seconds();
    const auto start = clock::now();
    std::size_t calls = 0;
    do {
        c.call();
        calls++;
    } while (seconds_since(start) < how.seconds);
    m.seconds.push_back(seconds_since(start) / static_cast<double>(calls));
    const double kernel = c.kernel_seconds() - kernel_before;
    if (kernel > 0)
        m.kernel_seconds.push_back(kernel / static_cast<double>(calls));
    c.end();
}

} // namespace

double median(std::vector<double> values)
{
    if (values.empty())
        return 0;
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 ? values[middle]
                             : 0.5 * (values[middle - 1] + values[middle]);
}

double measurement::median_seconds() const { return median(seconds); }
double measurement::kernel_median_seconds() const { return median(kernel_seconds); }

double measurement::items_a_second() const
{
    const double time = median_seconds();
    return time > 0 ? static_cast<double>(items) / time : 0;
}

double measurement::fastest_items_a_second() const
{
    if (seconds.empty())
        return 0;
    return static_cast<double>(items) / *std::min_element(seconds.begin(), seconds.end());
}

double measurement::spread() const
{
    if (seconds.empty())
        return 0;
    const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
    return (*most - *least) / median_seconds();
}

std::vector<measurement>
measure(const std::vector<std::unique_ptr<candidate>>& candidates,
        const measuring& how,
        const std::function<const expected_outputs*(const candidate&)>& expected,
        const progress& tell)
{
    std::vector<measurement> results(candidates.size());
    std::size_t done = 0;
    const std::size_t total = candidates.size() * (how.repetitions + 1);

    const auto step = [&](std::size_t i, const std::string& what, auto&& action) {
        auto& m = results[i];
        tell(done++, total, what + candidates[i]->name().text());
        if (!m.failure.empty())
            return;
        try {
            action(*candidates[i], m);
        } catch (const std::exception& e) {
            m.failure = e.what();
            m.seconds.clear();
            m.kernel_seconds.clear();
        }
    };

    std::vector<bool> once(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); i++) {
        auto& m = results[i];
        m.name = candidates[i]->name();
        m.bound_db = candidates[i]->bound_db();
        step(i, "checking ", [&](candidate& c, measurement& to) {
            check_and_warm_up(c, expected(c), how, to);
        });
        once[i] = !m.seconds.empty();
    }
    for (std::size_t r = 0; r < how.repetitions; r++)
        for (std::size_t i = 0; i < candidates.size(); i++)
            if (once[i])
                done++;
            else
                step(i, "", [&](candidate& c, measurement& to) { repeat(c, how, to); });
    return results;
}

} // namespace cldsp::bench
