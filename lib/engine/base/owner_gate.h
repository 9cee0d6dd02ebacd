// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps background work away from what belongs to an owner that has gone.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cldsp {

/*!
 * \brief What work that outlives its owner goes through to touch what the owner lent it:
 * the function that gets its log, the folder of its files.
 *
 * Thread-safe. An idle thread passes at normal priority, because close() waits for it.
 */
class owner_gate
{
public:
    /*!
     * Calls \p action, unless the gate is closed. An action may pass again.
     *
     * \return whether it was called
     * \throws what \p action throws
     */
    bool pass(const std::function<void()>& action);

    //! Lets nobody pass any more, and waits for those other threads that are inside.
    void close();

    //! Whether close() was called: a long action should end early.
    bool is_closed() const;

private:
    bool pass_now(const std::function<void()>& action);
    bool is_inside(std::thread::id thread) const;

    mutable std::mutex d_mutex; // guards the other members
    std::condition_variable d_left;
    bool d_closed = false;
    std::vector<std::thread::id> d_inside; // a thread as often as it has entered
};

} // namespace cldsp
