// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts, stops and repeats the work of a task of the thread of planning.

#include <cldsp/planning_task.h>

#include "base/reason.h"

#include <cldsp/background_thread.h>
#include <cldsp/errors.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace cldsp {

struct planning_task::state {
    state(std::function<void(const stop_question&)> its_work, logger its_log)
        : work(std::move(its_work)), log(std::move(its_log))
    {
    }

    //! \return whether run() has to be posted
    bool want()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        if (done)
            return false;
        wanted = true;
        return !std::exchange(posted, true);
    }

    bool is_stopped() const { return !wanted || background_thread::planning().ending(); }

    //! \return whether the work has to begin, perhaps anew
    bool may_begin()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        posted = !done && !is_stopped();
        return posted;
    }

    void run()
    {
        while (may_begin()) {
            try {
                work([this] { return is_stopped(); });
                end();
            } catch (const planning_stopped&) {
                // The owner may have changed its mind meanwhile.
            } catch (const std::exception& e) {
                end();
                tell(e);
            }
        }
    }

    void end()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        done = true;
    }

    void tell(const std::exception& why) const
    {
        log_to(log,
               log_level::warning,
               "planning has failed, and the first plan stays: " + reason_of(why));
    }

    //! Without a thread, a later resume() may find one.
    void give_up(const std::exception& why)
    {
        {
            const std::lock_guard<std::mutex> guard(mutex);
            posted = false;
        }
        tell(why);
    }

    //! Stops the work for ever.
    //! \return whether run() is posted, and may not have begun
    bool close()
    {
        const std::lock_guard<std::mutex> guard(mutex);
        wanted = false;
        return posted;
    }

    const std::function<void(const stop_question&)> work;
    const logger log;
    std::atomic<bool> wanted{ false };
    std::mutex mutex; // guards the next two members, and wanted where it becomes true
    bool posted = false;
    bool done = false;
};

planning_task::planning_task(std::function<void(const stop_question&)> work, logger log)
    : d_state(std::make_shared<state>(std::move(work), std::move(log)))
{
}

planning_task::~planning_task()
{
    if (d_state->close())
        background_thread::planning().withdraw(d_state.get());
}

void planning_task::resume()
{
    // The closure owns the state, because the owner may be gone before it is called.
    if (!d_state->want())
        return;
    try {
        background_thread::planning().post([kept = d_state] { kept->run(); },
                                           d_state.get());
    } catch (const std::exception& e) {
        d_state->give_up(e);
    }
}

void planning_task::pause() { d_state->wanted = false; }

} // namespace cldsp
