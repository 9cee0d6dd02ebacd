// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds each worker thread of PoCL to a processor of its own.

#pragma once

#include <mutex>

namespace cldsp {

/*!
 * While an object exists, the threads that the calling thread starts are noted. Its end
 * binds each of them to a processor of its own.
 *
 * PoCL starts its worker threads when its devices are first listed, and again with the
 * first context after all contexts are gone. Unbound workers often share a processor in
 * short calls, which halves the speed. PoCL's own remedy, POCL_AFFINITY=1, binds worker i
 * to processor i and ends the process where that processor may not be used, as in a
 * container without processor 0; and every child process inherits the variable. This
 * class takes the processors that the workers may use, and leaves the environment alone.
 *
 * Nothing is bound if the user has set POCL_AFFINITY, if there are more workers than
 * processors, or if the system does not tell its threads.
 */
class pocl_worker_binding
{
public:
    //! \param is_pocl without it the object does nothing
    explicit pocl_worker_binding(bool is_pocl);
    ~pocl_worker_binding();

    pocl_worker_binding(const pocl_worker_binding&) = delete;
    pocl_worker_binding& operator=(const pocl_worker_binding&) = delete;

private:
    bool d_notes = false;
    std::unique_lock<std::mutex> d_alone;
    char d_name[16] = {}; //!< of the calling thread
};

} // namespace cldsp
