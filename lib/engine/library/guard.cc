// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Keeps each thread's last message, even while the process exits.

#include "library/guard.h"

#include "base/forks.h"

#include <cldsp/errors.h>

#include <pthread.h>

#include <system_error>
#include <memory>
#include <new>

namespace cldsp::library {

namespace {

// The message of a thread: a text that needs no memory, or the thread's kept_message().
thread_local const char* last_message = "";

/*!
 * The text of this thread, which belongs to a key of the thread. exit() destroys objects
 * that are thread_local before it calls the functions of atexit() and the destructors of
 * static objects, which may use the library. A key keeps its value then.
 */
std::string& kept_message()
{
    static const pthread_key_t key = [] {
        pthread_key_t made;
        const auto free_message = [](void* message) {
            last_message = "";
            delete static_cast<std::string*>(message);
        };
        if (pthread_key_create(&made, free_message) != 0)
            throw std::bad_alloc();
        return made;
    }();
    if (auto* message = static_cast<std::string*>(pthread_getspecific(key)))
        return *message;
    auto message = std::make_unique<std::string>();
    if (pthread_setspecific(key, message.get()) != 0)
        throw std::bad_alloc();
    return *message.release();
}

void set_message(const char* message) noexcept
{
    try {
        last_message = (kept_message() = message).c_str();
    } catch (...) {
        last_message = "out of memory";
    }
}

} // namespace

void check_process()
{
    // This comes before anything that might wait for a lock of the parent.
    if (is_forked())
        throw wrong_state("this process was forked from one that had used libcldsp, "
                          "whose threads and devices it does not have");
    watch_forks();
}

cldsp_status status_of_exception() noexcept
{
    try {
        throw;
    } catch (const std::invalid_argument& e) {
        set_message(e.what());
        return CLDSP_INVALID_ARGUMENT;
    } catch (const std::length_error&) { // a container that is too long
        last_message = "out of memory";
        return CLDSP_OUT_OF_MEMORY;
    } catch (const std::logic_error& e) {
        set_message(e.what());
        return CLDSP_WRONG_STATE;
    } catch (const std::bad_alloc&) {
        last_message = "out of memory";
        return CLDSP_OUT_OF_MEMORY;
    } catch (const std::system_error& e) {
        if (e.code() == std::errc::not_enough_memory) {
            last_message = "out of memory";
            return CLDSP_OUT_OF_MEMORY;
        }
        set_message(e.what());
        return CLDSP_FAILED;
    } catch (const opencl_error& e) {
        set_message(e.what());
        return CLDSP_DEVICE_ERROR;
    } catch (const std::exception& e) {
        set_message(e.what());
        return CLDSP_FAILED;
    } catch (...) {
        last_message = "an unknown exception";
        return CLDSP_FAILED;
    }
}

void check_pointer(const void* pointer, const char* name)
{
    if (!pointer)
        throw_invalid(name, "a null pointer", "an object");
}

} // namespace cldsp::library

const char* cldsp_last_error() { return cldsp::library::last_message; }
