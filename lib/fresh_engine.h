/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FRESH_ENGINE_H
#define INCLUDED_CLDSP_FRESH_ENGINE_H

#include "planning_thread.h"
#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/shared_taps.h>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * \brief Holds an engine that another thread has made, until the thread of the block
 * takes it.
 *
 * Such engines are made by a replanner, when the taps have changed, and by choose_again()
 * of a block, which a probe calls.
 */
template <class ENGINE>
class fresh_engine
{
public:
    //! Offers an engine. An earlier one that was not taken is dropped. Any thread may
    //! call this.
    void offer(ENGINE engine)
    {
        auto fresh = std::make_unique<ENGINE>(std::move(engine));
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fresh.swap(fresh);
    }

    //! Passes the offered engine to \p use; returns false if there is none.
    template <class USE>
    bool take(USE&& use)
    {
        return take_if([](const ENGINE&) { return true; }, std::forward<USE>(use));
    }

    //! As take(), if \p fits returns true for the engine; otherwise the engine stays for
    //! a later call.
    template <class FITS, class USE>
    bool take_if(FITS&& fits, USE&& use)
    {
        std::unique_ptr<ENGINE> fresh;
        {
            const std::lock_guard<std::mutex> guard(d_mutex);
            if (d_fresh && fits(std::as_const(*d_fresh)))
                fresh = std::move(d_fresh);
        }
        if (!fresh)
            return false;
        use(std::move(*fresh));
        d_taken++;
        return true;
    }

    //! Replaces \p engine by the offered engine; returns false if there is none.
    bool take(ENGINE& engine)
    {
        return take([&](ENGINE&& fresh) { engine = std::move(fresh); });
    }

    //! The number of engines that were taken. Only the thread that takes them may call
    //! this.
    std::size_t taken() const { return d_taken; }

private:
    std::mutex d_mutex; // guards d_fresh
    std::unique_ptr<ENGINE> d_fresh;
    std::size_t d_taken = 0;
};

//! Whether a plan for one list of taps is equally good for the other.
inline bool same_kind(const ::cldsp::shared_taps& a, const ::cldsp::shared_taps& b)
{
    return a.is(b) || (a.size() == b.size() && a.are_real() == b.are_real());
}

//! As same_kind() above, for each channel of a bank. A single list is the list of all
//! channels.
inline bool same_kind(const std::vector<::cldsp::shared_taps>& a,
                      const std::vector<::cldsp::shared_taps>& b)
{
    const auto all_are = [](const auto& lists, const auto& one) {
        return std::all_of(lists.begin(), lists.end(), [&](const auto& list) {
            return same_kind(list, one);
        });
    };
    if (a.size() == 1)
        return all_are(b, a.front());
    if (b.size() == 1)
        return all_are(a, b.front());
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
            return same_kind(one, other);
        });
}

/*!
 * \brief Makes another engine for new taps in the background, if a new one is predicted
 * to be clearly faster than the engine that runs, which was chosen for other taps.
 *
 * Thread-safe. The destructor does not wait: planning that has begun ends by itself, and
 * its engine is dropped.
 */
template <class ENGINE, class PROBLEM, class OPTIONS>
class replanner
{
public:
    replanner(const OPTIONS& options, ::cldsp::context_registry& registry)
        : d_state(std::make_shared<state>(options, registry))
    {
    }
    ~replanner() { d_state->close(); }
    replanner(const replanner&) = delete;
    replanner& operator=(const replanner&) = delete;

    /*!
     * Asks for an engine for \p problem, if \p plan is outdated for it. A new request
     * replaces the earlier one.
     *
     * \param plan the plan of the engine that runs
     */
    void want(PROBLEM problem, ::cldsp::chosen_plan plan)
    {
        // The closure owns the state, so that the destructor need not wait for a task
        // that is still in the queue.
        if (!d_state->want({ std::move(problem), std::move(plan) }))
            return;
        try {
            planning_thread::shared().post([kept = d_state] { kept->run(); });
        } catch (const std::exception& e) {
            d_state->give_up(e);
        }
    }

    /*!
     * Passes the new engine to \p use, if it was made for taps of the same kind as those
     * of \p running. (Newer taps may still wait to be applied.) If the device of \p
     * running has failed, only an engine on the host is taken.
     */
    template <class USE>
    bool take(const ENGINE& running, USE&& use)
    {
        return d_state->fresh.take_if(
            [&](const ENGINE& fresh) {
                return (!running.fell_back() || (fresh.chosen().device == "host" &&
                                                 fresh.chosen().reason.empty())) &&
                       same_kind(fresh.problem().taps, running.problem().taps);
            },
            std::forward<USE>(use));
    }
    //! The number of engines that were taken.
    std::size_t taken() const { return d_state->fresh.taken(); }

private:
    struct wish {
        PROBLEM problem;
        ::cldsp::chosen_plan plan;
    };

    struct state {
        state(const OPTIONS& its_options, ::cldsp::context_registry& its_registry)
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
                    return newer || planning_thread::shared().ending();
                };
                if (wanted_options.stopped() ||
                    !is_outdated(now.plan, now.problem, wanted_options, registry))
                    return;
                ENGINE engine(now.problem, wanted_options, registry);
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

        const OPTIONS options;
        ::cldsp::context_registry& registry;
        fresh_engine<ENGINE> fresh;
        std::mutex mutex; // guards the next three members
        std::optional<wish> wanted;
        bool posted = false;
        bool closed = false;
        std::atomic<bool> newer{ false }; // the current plan is no longer wanted
    };

    std::shared_ptr<state> d_state;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FRESH_ENGINE_H */
