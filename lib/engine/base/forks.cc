// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Notes in the child that a fork has happened.

#include "base/forks.h"

#include <atomic>
#include <new>

#include <pthread.h>

namespace cldsp {

namespace {

std::atomic<bool> forked{ false };

} // namespace

void watch_forks()
{
    static const int registered = pthread_atfork(nullptr, nullptr, [] { forked = true; });
    if (registered != 0)
        throw std::bad_alloc();
}

bool is_forked() noexcept { return forked; }

} // namespace cldsp
