// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Work for the thread of planning, which its owner may pause and resume.

#pragma once

#include <cldsp/logger.h>

#include <functional>
#include <memory>

namespace cldsp {

/*!
 * \brief Work for background_thread::planning(), which is done once, and which its owner
 * may pause and resume.
 *
 * Thread-safe. Nothing here waits for the work: what has begun ends by itself, even after
 * the owner is gone.
 */
class planning_task
{
public:
    //! Asked by the work between its steps: if it returns true, planning_stopped has to
    //! be thrown.
    using stop_question = std::function<bool()>;

    /*!
     * \param work what the thread calls. It owns all that it uses, except what lives as
     *        long as the process. If it throws planning_stopped, resume() lets it begin
     *        anew; other exceptions are logged, and end it
     * \param log gets the exceptions
     */
    planning_task(std::function<void(const stop_question&)> work, logger log);
    ~planning_task(); //!< as pause(); work that has not begun is forgotten at once
    planning_task(const planning_task&) = delete;
    planning_task& operator=(const planning_task&) = delete;

    //! Lets the thread do the work, unless it is doing it or has done it.
    void resume();
    //! Asks the work to stop.
    void pause();

private:
    struct state;

    const std::shared_ptr<state> d_state;
};

} // namespace cldsp
