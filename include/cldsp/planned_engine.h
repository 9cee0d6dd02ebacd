// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An engine that computes at once, and is replaced when a better one was planned.

#pragma once

#include <cldsp/errors.h>
#include <cldsp/fresh_engine.h>
#include <cldsp/plan_log.h>
#include <cldsp/planning_task.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace cldsp {

/*!
 * \brief An engine that computes from the beginning. If its plan is provisional, another
 * one is made in the background, which takes over between two calls.
 *
 * One thread uses the engine, and calls renew(). Any thread may call the other functions.
 * The destructor does not wait: an engine that is being made is dropped.
 *
 * \tparam Engine a class with chosen(), such as gemm
 * \tparam Options its options, with `at_once`, `stopped` and `log`
 */
template <class Engine, class Options>
class planned_engine
{
public:
    //! Makes an engine. It owns all that it uses, except what lives as long as the
    //! process, because the thread of planning may call it when the owner is gone.
    using maker = std::function<Engine(const Options&)>;

    //! \param make makes the first engine now, and any other one later
    //! \param options those of the first engine, which is final unless they say `at_once`
    //! \throws what \p make throws
    planned_engine(maker make, const Options& options)
        : d_shared(std::make_shared<shared>(std::move(make), options)),
          d_engine(d_shared->make(options)),
          d_planning(
              [kept = d_shared](const planning_task::stop_question& stopped) {
                  kept->plan(stopped);
              },
              options.log)
    {
    }
    planned_engine(const planned_engine&) = delete;
    planned_engine& operator=(const planned_engine&) = delete;

    Engine& operator*() { return d_engine; }
    const Engine& operator*() const { return d_engine; }
    Engine* operator->() { return &d_engine; }
    const Engine* operator->() const { return &d_engine; }

    //! Plans in the background, if the plan is provisional and no other engine waits. For
    //! the thread that uses the engine.
    void resume_planning()
    {
        if (!waits() && d_engine.chosen().provisional)
            d_planning.resume();
    }
    //! Stops what resume_planning() has begun, which then begins anew.
    void pause_planning() { d_planning.pause(); }

    //! Makes another engine in the thread that calls this.
    //! \throws what the maker throws
    void choose_again()
    {
        d_planning.pause();
        d_shared->offer(d_shared->make(d_shared->final_options({})));
    }

    //! Whether another engine waits for renew().
    bool waits() const { return d_shared->fresh.waits(); }
    /*!
     * Takes the other engine, if one waits. What was set since the first one was made has
     * to be set again.
     *
     * \return whether it was taken
     */
    bool renew() { return d_shared->fresh.take(d_engine); }
    //! As renew(). \p prepare gets the other engine and the present one, before it takes
    //! over; if it throws, the present one stays.
    template <class Prepare>
    bool renew(const Prepare& prepare)
    {
        return d_shared->fresh.take([&](Engine&& next) {
            prepare(next, std::as_const(d_engine));
            d_engine = std::move(next);
        });
    }
    //! The number of engines that renew() has taken, for the thread that calls it.
    std::size_t renewals() const { return d_shared->fresh.taken(); }

private:
    //! What outlives the owner while an engine is being made.
    struct shared {
        shared(maker its_make, const Options& its_options)
            : make(std::move(its_make)), options(its_options)
        {
        }

        Options final_options(planning_task::stop_question stopped) const
        {
            auto its = options;
            its.at_once = false;
            its.stopped = std::move(stopped);
            return its;
        }
        void plan(const planning_task::stop_question& stopped)
        {
            auto its_options = final_options(stopped);
            its_options.log = without_news(options.log);
            auto engine = make(its_options);
            const std::lock_guard<std::mutex> guard(offering);
            if (stopped())
                throw planning_stopped();
            fresh.offer(std::move(engine));
        }
        void offer(Engine engine)
        {
            const std::lock_guard<std::mutex> guard(offering);
            fresh.offer(std::move(engine));
        }

        const maker make;
        const Options options;
        // So that no engine that was planned before replaces one that was chosen again.
        std::mutex offering;
        fresh_engine<Engine> fresh;
    };

    const std::shared_ptr<shared> d_shared;
    Engine d_engine;
    planning_task d_planning;
};

} // namespace cldsp
