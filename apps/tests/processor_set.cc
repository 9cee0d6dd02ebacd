// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A preloaded library that binds threads as strictly as a container does.

// Preloaded, it makes the processors that a program may use at its start as strict as
// those of a container: no thread can be bound to another one.

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>

namespace {

cpu_set_t allowed;

__attribute__((constructor)) void at_start()
{
    sched_getaffinity(0, sizeof(allowed), &allowed);
}

// The part of a set that the container has; false: there is none.
bool inside(const cpu_set_t* wanted, cpu_set_t& part)
{
    CPU_AND(&part, &allowed, wanted);
    return CPU_COUNT(&part) > 0;
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) int
pthread_setaffinity_np(pthread_t thread, size_t, const cpu_set_t* wanted) noexcept
{
    static const auto next = reinterpret_cast<decltype(&pthread_setaffinity_np)>(
        dlsym(RTLD_NEXT, "pthread_setaffinity_np"));
    cpu_set_t part;
    return inside(wanted, part) ? next(thread, sizeof(part), &part) : EINVAL;
}

__attribute__((visibility("default"))) int
sched_setaffinity(pid_t thread, size_t, const cpu_set_t* wanted) noexcept
{
    static const auto next = reinterpret_cast<decltype(&sched_setaffinity)>(
        dlsym(RTLD_NEXT, "sched_setaffinity"));
    cpu_set_t part;
    if (inside(wanted, part))
        return next(thread, sizeof(part), &part);
    errno = EINVAL;
    return -1;
}

} // extern "C"
