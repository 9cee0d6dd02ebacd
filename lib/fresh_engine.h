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
#include <algorithm>
#include <atomic>
#include <complex>
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
 * \brief Holds an engine that another thread has made, until the block's thread takes it.
 *
 * A replanner makes such engines of its own accord; choose_again() of a block, and with
 * it a probe, on demand.
 */
template <class ENGINE>
class fresh_engine
{
public:
    //! Any thread; an earlier one that was not taken is dropped.
    void offer(ENGINE engine)
    {
        auto fresh = std::make_unique<ENGINE>(std::move(engine));
        const std::lock_guard<std::mutex> guard(d_mutex);
        d_fresh.swap(fresh);
    }

    //! Hands what was offered to \p use; false if nothing was.
    template <class USE>
    bool take(USE&& use)
    {
        return take_if([](const ENGINE&) { return true; }, std::forward<USE>(use));
    }

    //! As take(), if \p fits says yes to the engine; else it stays for a later call.
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

    //! Puts it in the place of \p engine.
    bool take(ENGINE& engine)
    {
        return take([&](ENGINE&& fresh) { engine = std::move(fresh); });
    }

    //! How many engines were taken; for the thread that takes them.
    std::size_t taken() const { return d_taken; }

private:
    std::mutex d_mutex; // of d_fresh
    std::unique_ptr<ENGINE> d_fresh;
    std::size_t d_taken = 0;
};

inline bool is_real(const std::vector<std::complex<float>>& taps)
{
    return std::all_of(
        taps.begin(), taps.end(), [](const auto& tap) { return tap.imag() == 0; });
}

//! True if a plan for one list of taps is as good for the other.
inline bool same_kind(const std::vector<std::complex<float>>& a,
                      const std::vector<std::complex<float>>& b)
{
    return a.size() == b.size() && is_real(a) == is_real(b);
}

//! The same of the channels of a bank.
inline bool same_kind(const std::vector<std::vector<std::complex<float>>>& a,
                      const std::vector<std::vector<std::complex<float>>>& b)
{
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
            return same_kind(one, other);
        });
}

/*!
 * \brief Makes another engine for new taps in the background, where the one that runs was
 * chosen for taps so different that another is predicted to be clearly faster.
 *
 * Thread-safe. Its end waits for nothing: a plan that has begun ends by itself, and what
 * it has made is dropped.
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
     * Wants an engine for \p problem if \p plan, which runs, is outdated by it. What was
     * wanted before is not any more.
     */
    void want(PROBLEM problem, ::cldsp::chosen_plan plan)
    {
        // The closure keeps the state, so that a task which waits in the queue holds up
        // nobody's end.
        if (!d_state->want({ std::move(problem), std::move(plan) }))
            return;
        try {
            planning_thread::shared().post([kept = d_state] { kept->run(); });
        } catch (const std::exception& e) {
            d_state->give_up(e);
        }
    }

    /*!
     * Hands the engine that was made to \p use where it was made for the taps of \p
     * running: taps that wait to be applied are not the engine's yet. A stream that has
     * left its device takes an engine on the host alone.
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
    //! How many engines were taken.
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
        std::mutex mutex; // of the three that follow
        std::optional<wish> wanted;
        bool posted = false;
        bool closed = false;
        std::atomic<bool> newer{ false }; // another wish, or none
    };

    std::shared_ptr<state> d_state;
};

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_FRESH_ENGINE_H */
