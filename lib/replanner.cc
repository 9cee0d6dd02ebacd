// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Plans for the newest taps only, and drops engines that nobody wants any more.

#include "replanner.h"

#include <cldsp/background_thread.h>
#include <cldsp/errors.h>
#include <cldsp/fresh_engine.h>
#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace gr {
namespace cldsp {

namespace {

bool lists_of_same_kind(const ::cldsp::shared_taps& a, const ::cldsp::shared_taps& b)
{
    return a.is(b) || (a.size() == b.size() && a.are_real() == b.are_real());
}

} // namespace

bool same_kind(const std::vector<::cldsp::shared_taps>& a,
               const std::vector<::cldsp::shared_taps>& b)
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
        ::cldsp::chosen_plan plan;
    };

    state(const options_type& its_options, ::cldsp::context_registry& its_registry)
        : options(its_options), registry(its_registry)
    {
    }

    //! \return whether run() has to be posted
    bool want(wish next)
    {
        const std::lock_guard<std::mutex> guard(mutex);
        wanted = std::move(next);
        newer = true;
        return !std::exchange(posted, true);
    }

    void run()
    {
        std::optional<wish> now;
        {
            const std::lock_guard<std::mutex> guard(mutex);
            posted = false;
            now.swap(wanted);
            newer = closed;
        }
        if (now)
            plan(*now);
    }

    void plan(const wish& now)
    {
        try {
            auto wanted_options = options;
            wanted_options.stopped = [this] {
                return newer || ::cldsp::background_thread::planning().ending();
            };
            if (wanted_options.stopped() ||
                !is_outdated(now.plan, now.problem, wanted_options, registry))
                return;
            engine_type engine(now.problem, wanted_options, registry);
            if (!wanted_options.stopped())
                fresh.offer(std::move(engine));
        } catch (const ::cldsp::planning_stopped&) {
        } catch (const std::exception& e) {
            warn(e);
        }
    }

    void give_up(const std::exception& why)
    {
        warn(why);
        const std::lock_guard<std::mutex> guard(mutex);
        posted = false;
    }

    void warn(const std::exception& why) const
    {
        ::cldsp::log_to(options.log,
                        ::cldsp::log_level::warning,
                        std::string("no new plan for the new taps: ") + why.what());
    }

    void close()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        wanted.reset();
        closed = newer = true;
    }

    const options_type options;
    ::cldsp::context_registry& registry;
    ::cldsp::fresh_engine<engine_type> fresh;
    std::mutex mutex; // guards the next three members
    std::optional<wish> wanted;
    bool posted = false;
    bool closed = false;
    std::atomic<bool> newer{ false }; // the current plan is no longer wanted
};

replanner::replanner(const options_type& options, ::cldsp::context_registry& registry)
    : d_state(std::make_shared<state>(options, registry))
{
}

replanner::~replanner() { d_state->close(); }

void replanner::want(problem_type problem, ::cldsp::chosen_plan plan)
{
    // The closure owns the state, so that the destructor need not wait for a task that is
    // still in the queue.
    if (!d_state->want({ std::move(problem), std::move(plan) }))
        return;
    try {
        ::cldsp::background_thread::planning().post([kept = d_state] { kept->run(); });
    } catch (const std::exception& e) {
        d_state->give_up(e);
    }
}

bool replanner::take(const engine_type& running,
                     const std::function<void(engine_type&&)>& use)
{
    return d_state->fresh.take_if(
        [&](const engine_type& fresh) {
            return (!running.fell_back() ||
                    (fresh.chosen().device == "host" && fresh.chosen().reason.empty())) &&
                   same_kind(fresh.problem().taps, running.problem().taps);
        },
        use);
}

std::size_t replanner::taken() const { return d_state->fresh.taken(); }

} // namespace cldsp
} // namespace gr
