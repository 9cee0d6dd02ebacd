// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Plans for the newest taps only, and drops banks that nobody wants any more.

#include <cldsp/replanner.h>

#include <cldsp/background_thread.h>
#include <cldsp/errors.h>
#include <cldsp/fresh_engine.h>
#include <cldsp/plan_log.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
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

struct replanner::state {
    struct wish {
        problem_type problem;
        chosen_plan plan;
    };

    state(const options_type& its_options, std::shared_ptr<context_registry> its_registry)
        : options(later(its_options)), registry(std::move(its_registry))
    {
    }

    //! \return whether run() has to be posted
    bool want(wish next)
    {
        const std::lock_guard<std::mutex> guard(mutex);
        wanted = std::move(next);
        rate = 0;
        stopped = true; // what is planned now
        return has_to_be_posted();
    }

    void pause()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        paused = stopped = true;
    }
    //! \return whether run() has to be posted
    bool resume()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        paused = false;
        return has_to_be_posted();
    }

    bool has_to_be_posted()
    {
        return wanted && !paused && !closed && !std::exchange(posted, true);
    }

    void run()
    {
        while (auto now = next()) {
            if (plan(*now) || background_thread::planning().ending())
                return;
            // A pause has stopped it, which may be over by now.
            const std::lock_guard<std::mutex> guard(mutex);
            if (!wanted && !closed)
                wanted.swap(now);
        }
    }

    std::optional<wish> next()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        posted = false;
        std::optional<wish> now;
        if (paused || closed)
            return now;
        now.swap(wanted);
        stopped = false;
        return now;
    }

    //! \return whether the wish is settled: it was not stopped
    bool plan(const wish& now)
    {
        try {
            auto its_options = options;
            its_options.log = without_news(options.log);
            if (now.plan.provisional)
                its_options.running = [this, &now]() -> running_rate {
                    return { now.plan, rate };
                };
            its_options.stopped = [this] {
                return stopped || background_thread::planning().ending();
            };
            if (its_options.stopped())
                return false;
            if (!is_outdated(now.plan, now.problem, its_options, *registry))
                return true;
            freq_xlating_filter_bank bank(now.problem, its_options, *registry);
            if (its_options.stopped())
                return false;
            fresh.offer(std::move(bank));
        } catch (const planning_stopped&) {
            return false;
        } catch (const std::exception& e) {
            warn(e);
        }
        return true;
    }

    void give_up(const std::exception& why)
    {
        {
            const std::lock_guard<std::mutex> guard(mutex);
            posted = false;
        }
        warn(why);
    }

    void warn(const std::exception& why) const
    {
        log_to(options.log,
               log_level::warning,
               std::string("there is no new plan: ") + why.what());
    }

    //! \return whether run() is posted, and has not begun
    bool close()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        wanted.reset();
        closed = stopped = true;
        return posted;
    }

    const options_type options;
    const std::shared_ptr<context_registry> registry;
    fresh_engine<freq_xlating_filter_bank> fresh;
    std::mutex mutex; // guards the next four members
    std::optional<wish> wanted;
    bool posted = false;
    bool paused = false;
    bool closed = false;
    std::atomic<double> rate{ 0 };      // of the fastest call of the bank that runs
    std::atomic<bool> stopped{ false }; // the bank that is planned is not wanted now
};

replanner::replanner(const options_type& options,
                     std::shared_ptr<context_registry> registry)
    : d_state(std::make_shared<state>(options, std::move(registry)))
{
}

replanner::~replanner()
{
    if (d_state->close())
        background_thread::planning().withdraw(d_state.get());
}

namespace {

// The closure owns the state, so that the destructor need not wait for a task that has
// begun.
template <class STATE>
void post(const std::shared_ptr<STATE>& state)
{
    try {
        background_thread::planning().post([state] { state->run(); }, state.get());
    } catch (const std::exception& e) {
        state->give_up(e);
    }
}

} // namespace

void replanner::want(problem_type problem, chosen_plan plan)
{
    if (d_state->want({ std::move(problem), std::move(plan) }))
        post(d_state);
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

void replanner::pause() { d_state->pause(); }

void replanner::resume()
{
    if (d_state->resume())
        post(d_state);
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
