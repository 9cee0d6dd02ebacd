// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The clocks of a measurement: of the candidate, of the processor, of the wall.

#include "common/measure.h"

#include <sys/resource.h>

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

//! The seconds that all threads of this program have run so far, their time in the system
//! included.
double processor_seconds()
{
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) +
               1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

//! Measures how far the times of a candidate have advanced since this object was made.
class stopwatch
{
public:
    explicit stopwatch(const timed_work& work)
        : d_work(work),
          d_own(work.own_seconds().value_or(0)),
          d_kernel(work.kernel_seconds()),
          d_processor(processor_seconds()),
          d_start(clock::now())
    {
    }
    //! The seconds by the candidate's own clock if it has one, otherwise by the host's.
    double seconds() const
    {
        const auto own = d_work.own_seconds();
        return own ? *own - d_own : seconds_since(d_start);
    }
    double kernel_seconds() const { return d_work.kernel_seconds() - d_kernel; }
    double host_seconds() const { return seconds_since(d_start); }
    double cores() const
    {
        const double seconds = host_seconds();
        return seconds > 0 ? (processor_seconds() - d_processor) / seconds : 0;
    }

private:
    const timed_work& d_work;
    double d_own, d_kernel, d_processor;
    clock::time_point d_start;
};

void keep(const stopwatch& watch, std::size_t calls, measurement& m)
{
    const auto count = static_cast<double>(calls);
    m.cores.push_back(watch.cores());
    m.seconds.push_back(watch.seconds() / count);
    if (watch.kernel_seconds() > 0)
        m.kernel_seconds.push_back(watch.kernel_seconds() / count);
}

//! Computes the error, and makes a call or two that build programs and page memory in.
void check_and_warm_up(timed_work& work,
                       const error_check& check,
                       const measuring& how,
                       measurement& m)
{
    work.begin();
    m.error_db = check(work);
    const stopwatch watch(work);
    work.call();
    if (watch.seconds() > how.longest_call)
        keep(watch, 1, m);
    work.end();
    m.items = work.items();
    m.note = work.note();
    m.plan = work.plan();
}

void repeat(timed_work& work, const measuring& how, measurement& m)
{
    work.begin();
    if (m.seconds.empty() || m.seconds.back() < how.seconds)
        work.call(); // refills caches and wakes threads after the previous candidate
    const stopwatch watch(work);
    std::size_t calls = 0;
    do {
        work.call();
        calls++;
    } while (watch.host_seconds() < how.seconds);
    keep(watch, calls, m);
    work.end();
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
double measurement::cores_in_use() const { return median(cores); }

double measurement::items_per_second() const
{
    const double time = median_seconds();
    return time > 0 ? static_cast<double>(items) / time : 0;
}

double measurement::fastest_items_per_second() const
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

std::vector<measurement> measure(const std::vector<timed_work*>& works,
                                 const measuring& how,
                                 const error_check& check,
                                 const progress& tell)
{
    std::vector<measurement> results(works.size());
    std::size_t done = 0;
    const std::size_t total = works.size() * (how.repetitions + 1);

    const auto step = [&](std::size_t i, const std::string& what, auto&& action) {
        auto& m = results[i];
        tell(done++, total, what + works[i]->name().text());
        if (!m.failure.empty())
            return;
        try {
            action(*works[i], m);
        } catch (const std::exception& e) {
            m.failure = e.what();
            m.seconds.clear();
            m.kernel_seconds.clear();
            m.cores.clear();
        }
    };

    std::vector<bool> once(works.size());
    for (std::size_t i = 0; i < works.size(); i++) {
        auto& m = results[i];
        m.name = works[i]->name();
        m.bound_db = works[i]->bound_db();
        step(i, "checking ", [&](timed_work& work, measurement& to) {
            check_and_warm_up(work, check, how, to);
        });
        once[i] = !m.seconds.empty();
    }
    for (std::size_t r = 0; r < how.repetitions; r++)
        for (std::size_t i = 0; i < works.size(); i++)
            if (once[i])
                done++;
            else
                step(i, "", [&](timed_work& work, measurement& to) {
                    repeat(work, how, to);
                });
    return results;
}

} // namespace cldsp::bench
