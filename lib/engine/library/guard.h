// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Turns exceptions into statuses, and protects calls from forks and cancellation.

#pragma once

#include <cldsp/cldsp.h>

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

namespace cldsp::library {

//! The exception for a call that is not permitted now.
class wrong_state : public std::logic_error
{
public:
    using std::logic_error::logic_error;
};

//! Stores the message of the exception that is being handled for cldsp_last_error(), and
//! returns its status.
cldsp_status status_of_exception() noexcept;

//! \throws wrong_state in a child of a process that has used the library
void check_process();

//! While this object exists, pthread_cancel() does not end the thread, which would leave
//! a handle half changed.
class no_cancellation
{
public:
    no_cancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &d_before); }
    ~no_cancellation() { pthread_setcancelstate(d_before, nullptr); }
    no_cancellation(const no_cancellation&) = delete;
    no_cancellation& operator=(const no_cancellation&) = delete;

private:
    int d_before = PTHREAD_CANCEL_ENABLE;
};

//! Runs a function of the C interface, and lets no exception leave the library.
template <class F>
cldsp_status guarded(F&& function) noexcept
{
    const no_cancellation whole_call;
    try {
        check_process();
        function();
        return CLDSP_OK;
    } catch (...) {
        return status_of_exception();
    }
}

//! \throws std::invalid_argument if the pointer is null
void check_pointer(const void* pointer, const char* name);

//! The base of a handle: at any time at most one thread uses it.
class handle
{
public:
    //! The use of a handle by a thread.
    class use
    {
    public:
        //! \throws wrong_state if another thread uses the handle
        explicit use(handle& used) : d_used(used)
        {
            if (d_used.d_in_use.test_and_set(std::memory_order_acquire))
                throw wrong_state("another thread uses the handle");
        }
        ~use() { d_used.d_in_use.clear(std::memory_order_release); }
        use(const use&) = delete;
        use& operator=(const use&) = delete;

    private:
        handle& d_used;
    };

private:
    std::atomic_flag d_in_use = ATOMIC_FLAG_INIT;
};

//! Runs \p function on the handle's content, as its only user.
template <class Handle, class F>
cldsp_status guarded_use(Handle* used, const char* name, F&& function) noexcept
{
    return guarded([&] {
        check_pointer(used, name);
        const handle::use use(*used);
        function(*used);
    });
}

} // namespace cldsp::library
