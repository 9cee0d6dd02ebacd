// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Plans for the newest taps only, and drops banks that nobody wants any more.

#include <cldsp/replanner.h>

#include <cldsp/errors.h>
#include <cldsp/fresh_engine.h>
#include <cldsp/plan_log.h>
#include <cldsp/planning_task.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

namespace cldsp {

namespace {

bool lists_of_same_kind(const shared_taps& a, const shared_taps& b)
{
    return a.is(b) || (a.size() == b.size() && a.are_real() == b.are_real());
}

freq_xlating_filter_bank_options later(freq_xlating_filter_bank_options options)
{
    options.at_once = false;
    return options;
}

} // namespace

bool same_kind(const std::vector<shared_taps>& a, const std::vector<shared_taps>& b)
{
    const auto all_are = [](const auto& lists, const auto& one) {
        return std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
            return lists_of_same_kind(list, one);
        });
    };
    if (a.size() == 1)
        return all_are(b, a.front());
    if (b.size() == 1)
        return all_are(a, b.front());
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), lists_of_same_kind);
}

// What the thread of planning uses, which may outlive the replanner.
struct replanner::state {
    state(const options_type& its_options, std::shared_ptr<context_registry> its_registry)
        : options(later(its_options)), registry(std::move(its_registry))
    {
    }

    void plan(const problem_type& problem,
              const chosen_plan& running,
              const planning_task::stop_question& is_stopped)
    {
        auto its_options = options;
        its_options.log = without_news(options.log);
        its_options.stopped = is_stopped;
        if (running.provisional)
            its_options.running = [this, &running]() -> running_rate {
                return { running, rate };
            };
        throw_if(is_stopped);
        if (!is_outdated(running, problem, its_options, *registry))
            return;
        freq_xlating_filter_bank bank(problem, its_options, *registry);
        throw_if(is_stopped);
        fresh.offer(std::move(bank));
    }

    static void throw_if(const planning_task::stop_question& is_stopped)
    {
        if (is_stopped())
            throw planning_stopped();
    }

    const options_type options;
    const std::shared_ptr<context_registry> registry;
    fresh_engine<freq_xlating_filter_bank> fresh;
    std::atomic<double> rate{ 0 }; // of the fastest call of the bank that runs
};

replanner::replanner(const options_type& options,
                     std::shared_ptr<context_registry> registry)
    : d_state(std::make_shared<state>(options, std::move(registry)))
{
}

replanner::~replanner() = default;

void replanner::want(problem_type problem, chosen_plan plan)
{
    auto task = std::make_unique<planning_task>(
        [kept = d_state, problem = std::move(problem), plan = std::move(plan)](
            const planning_task::stop_question& is_stopped) {
            kept->plan(problem, plan, is_stopped);
        },
        d_state->options.log);
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_state->rate = 0;
    d_task.swap(task);
    if (!d_paused)
        d_task->resume();
}

void replanner::offer(freq_xlating_filter_bank&& bank)
{
    d_state->fresh.offer(std::move(bank));
}

void replanner::note_call(std::size_t items, double seconds)
{
    const double rate = static_cast<double>(items) / seconds;
    if (rate > d_state->rate && std::isfinite(rate))
        d_state->rate = rate;
}

void replanner::pause()
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_paused = true;
    if (d_task)
        d_task->pause();
}

void replanner::resume()
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_paused = false;
    if (d_task)
        d_task->resume();
}

bool replanner::take(const freq_xlating_filter_bank& running,
                     const std::function<void(freq_xlating_filter_bank&&)>& use)
{
    return d_state->fresh.take_if(
        [&](const freq_xlating_filter_bank& fresh) {
            return (!running.fell_back() ||
                    (fresh.chosen().device == "host" && fresh.chosen().reason.empty())) &&
                   same_kind(fresh.problem().taps, running.problem().taps);
        },
        use);
}

const std::atomic<bool>& replanner::waits() const { return d_state->fresh.waits(); }

} // namespace cldsp
