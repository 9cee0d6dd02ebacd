// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Turns the signals that end a program into a request to stop.

#pragma once

#include <csignal>

namespace cldsp::app {

/*!
 * While this object lives, SIGINT, SIGTERM and SIGHUP ask the program to stop; SIGPIPE
 * and SIGXFSZ are ignored, so that the write that caused them returns an error instead. A
 * second signal ends the process, in case the program does not notice the first one.
 * There can be only one such object at a time.
 */
class stop_signal
{
public:
    stop_signal();
    ~stop_signal();
    stop_signal(const stop_signal&) = delete;
    stop_signal& operator=(const stop_signal&) = delete;

    //! The signal that came, or 0; -1 after ask().
    static int number();
    //! The seconds since then; 0 before.
    static double seconds();
    //! Asks the program to stop, as a signal does.
    static void ask();
    //! A file descriptor for poll() that becomes readable, and stays so, when a signal
    //! comes.
    static int file();
};

//! Waits until \p file is ready for \p events (of poll()), or a signal comes.
//! \param seconds the longest time; negative: no limit
//! \return whether the file is ready
bool wait_for(int file, short events, double seconds);
//! Waits for a file, whether a signal comes or not.
bool wait_for_file(int file, short events, double seconds);

} // namespace cldsp::app
