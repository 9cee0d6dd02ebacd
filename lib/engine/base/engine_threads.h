// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// How the engine's threads start, and which of them may wait for the processor.

#pragma once

#include <type_traits>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <signal.h>

namespace cldsp {

//! Blocks all signals in the threads that start while this object exists. Signals are for
//! the threads that expect them, such as the one that Python runs in.
class signals_blocked
{
public:
    signals_blocked();
    ~signals_blocked();
    signals_blocked(const signals_blocked&) = delete;
    signals_blocked& operator=(const signals_blocked&) = delete;

private:
    sigset_t d_before;
};

//! \param name at most 15 characters
void name_this_thread(const char* name);

//! Gives up what a thread has inherited from a block's thread that started it: a
//! real-time policy, a negative nice value, and its few processors. The processors
//! are those of the process's first thread afterwards.
void forget_inherited_scheduling() noexcept;

/*
 * Planning runs in an idle thread: one that gets the processor when no other thread wants
 * it. A thread that has become idle cannot become a normal one again without the right
 * CAP_SYS_NICE, and the threads that it starts inherit the priority. Whoever needs a lock
 * that an idle thread holds waits for as long as other threads keep the processor busy.
 * So an idle thread leaves two things to at_normal_priority(): to start threads that
 * streams will use, its own or a driver's, and to hold a lock for longer than some
 * instructions, if a stream or a constructor may wait for it.
 */

/*!
 * Runs \p action in an idle thread, which is called "cldsp-planning", and returns when it
 * has ended. Meanwhile, the calling thread runs what \p action gives to
 * at_normal_priority(). If the system starts no thread, the calling thread runs \p
 * action.
 *
 * The priority is SCHED_IDLE where the system has that, or else the nice value 19. A
 * system that permits neither is no error.
 *
 * \throws what \p action throws
 */
void run_idle(const std::function<void()>& action);

//! Whether the calling thread runs the action of run_idle().
bool is_idle_thread() noexcept;

//! The processor time in seconds that at_normal_priority() has taken for the calling
//! thread so far.
double seconds_at_normal_priority() noexcept;

/*!
 * What belongs to the calling thread, which is idle, until its action has ended. It is
 * empty at first. This is no variable that is thread_local and has a destructor: for such
 * a one the C library needs memory, and ends a process that has none.
 */
std::shared_ptr<void>& belongings_of_idle_thread() noexcept;

//! As at_normal_priority(), in an idle thread.
void leave_to_normal_thread(const std::function<void()>& action);

/*!
 * Runs \p action, and returns what it returns. If the calling thread is idle, its normal
 * thread runs \p action meanwhile. So \p action must not need a lock that the calling
 * thread holds, and finds other variables that are thread_local.
 */
template <class Action>
auto at_normal_priority(const Action& action) -> decltype(action())
{
    if (!is_idle_thread())
        return action();
    if constexpr (std::is_void_v<decltype(action())>) {
        leave_to_normal_thread(action);
    } else {
        std::optional<decltype(action())> result;
        leave_to_normal_thread([&] { result.emplace(action()); });
        return std::move(*result);
    }
}

} // namespace cldsp
