// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tells whether other threads took the processor away from a measurement.

#pragma once

namespace cldsp {

//! Counts how often the system has taken the processor away from the calling thread since
//! the object was made. Where the system does not tell, there are none.
class interruptions
{
public:
    interruptions() noexcept;
    bool any() const noexcept;

private:
    const long d_before;
};

/*!
 * A clock in seconds for the time that planning may take. It is the steady clock, but for
 * idle threads: there it is a clock of what the calling thread has done, and what was
 * done for it at normal priority. So a plan beside a busy stream is made as carefully as
 * one in quiet, though later. As no processor time passes while a device computes, the
 * clock has at least a sixteenth of the speed of the steady one.
 */
double planning_clock() noexcept;

/*!
 * Tells whether other threads leave next to nothing of the processor to the calling
 * thread, if it is idle. On a machine where all processors are always busy, it would
 * never come to an end.
 */
class starvation
{
public:
    starvation() noexcept;
    //! Looks at the last second.
    bool is_there() noexcept;

private:
    double d_steady, d_processor;
};

} // namespace cldsp
