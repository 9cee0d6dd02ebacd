/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

namespace cldsp {

//! A lock of any type.
struct fftw_planner_lock {
    void* lockable;
    void (*lock)(void* lockable);
    void (*unlock)(void* lockable) noexcept;
};

//! As share_fftw_planner().
void share_fftw_planner_lock(const fftw_planner_lock& lock);

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
 * the process ends. Pass it before the engine's first filter. Later is
 * allowed and safe among the engine's own threads, but their earlier plans did not
 * exclude the other library. Passing the same lock again changes nothing. Any thread may
 * call this.
 *
 * The engine holds the lock while FFTW plans, up to about a second, and calls nothing but
 * FFTW and the heap under it. So no thread may hold the lock when it calls the engine.
 * If lock() throws, so does the function that needed a plan; a plan that is destroyed
 * then stays in memory.
 *
 * \param lockable has lock() and unlock(), which may not throw, as std::mutex and
 * boost::mutex have, and lives until the process ends. Its lock() may also prepare FFTW:
 * the engine plans with as many threads as FFTW was told last. \throws
 * std::invalid_argument if there is another lock already
 */
template <class LOCKABLE>
void share_fftw_planner(LOCKABLE& lockable)
{
    share_fftw_planner_lock(fftw_planner_lock{
        &lockable,
        [](void* l) { static_cast<LOCKABLE*>(l)->lock(); },
        [](void* l) noexcept { static_cast<LOCKABLE*>(l)->unlock(); } });
}

} // namespace cldsp
