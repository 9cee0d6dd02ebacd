// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The lock that all users of FFTW's planner in a process share.

#pragma once

namespace cldsp {

/*!
 * A lock of any type: a pointer to it, the functions that lock and unlock it, and the
 * mutex that they lock in the end. Two locks are the same if their mutex is.
 */
struct fftw_planner_lock {
    void* lockable;
    void (*lock)(void* lockable);
    void (*unlock)(void* lockable) noexcept;
    const void* mutex;
};

//! As share_fftw_planner(), for a lock whose type has been hidden.
//! \return whether it guards the planner from now on; false: a lock of its mutex does
bool share_fftw_planner_lock(const fftw_planner_lock& lock);

/*!
 * Guards FFTW's planner with this lock from now on.
 *
 * FFTW has one planner per process, with one store of wisdom. All libraries of a process
 * that make or destroy plans, or read or write wisdom, have to hold the same lock
 * meanwhile, or they corrupt the heap. The engine does not know the other libraries.
 * Therefore a program in which another library plans passes the lock that this library
 * uses. Other programs pass none, and the engine uses a lock of its own.
 *
 * The lock belongs to the process, as the planner does: it applies to all filters, until
 * the process ends. Pass it before the first filter of the engine is made. If it is
 * passed later, the threads of the engine still exclude each other, but plans made before
 * did not exclude the other library. Passing a lock of the same mutex again changes
 * nothing. Any thread may call this function.
 *
 * The engine holds the lock while FFTW plans, up to about a second, and calls nothing but
 * FFTW and the heap meanwhile. No thread may hold the lock when it calls the engine. If
 * lock() throws, the function that needed a plan throws the same exception; where a plan
 * was to be destroyed, the plan stays in memory instead.
 *
 * \param lockable an object with lock() and unlock(), such as a std::mutex or a
 * boost::mutex, that exists until the process ends. unlock() may not throw. lock() may
 * also prepare FFTW: the engine plans with the number of threads that FFTW was told last.
 * \param mutex the mutex that lockable locks, if lockable is not the mutex itself
 * \throws std::invalid_argument if a lock of another mutex was passed before
 */
template <class LOCKABLE>
void share_fftw_planner(LOCKABLE& lockable, const void* mutex)
{
    share_fftw_planner_lock(
        fftw_planner_lock{ &lockable,
                           [](void* l) { static_cast<LOCKABLE*>(l)->lock(); },
                           [](void* l) noexcept { static_cast<LOCKABLE*>(l)->unlock(); },
                           mutex });
}

//! As above, for a lock that is the mutex itself.
template <class LOCKABLE>
void share_fftw_planner(LOCKABLE& lockable)
{
    share_fftw_planner(lockable, &lockable);
}

} // namespace cldsp
