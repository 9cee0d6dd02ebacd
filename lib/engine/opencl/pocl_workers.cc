// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds PoCL's new threads by an inherited name, and binds them.

#include "opencl/pocl_workers.h"

#include <algorithm>
#include <cstdlib>

#ifdef __linux__
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/types.h>
#include <array>
#include <cstdio>
#include <cstring>
#endif

namespace cldsp {

#ifdef __linux__

namespace {

// A thread inherits the name of the one that starts it. By this name new workers are
// found.
constexpr const char* new_name = "new-pocl-worker";
// Then they get this one, so that they are not taken for new again.
constexpr const char* final_name = "pocl-worker";

constexpr std::size_t max_workers = CPU_SETSIZE;

// What is below runs in a destructor: it neither throws nor allocates, but for opendir(),
// which reports that it could not.

std::mutex& binding_mutex()
{
    static auto& mutex = *new std::mutex; // threads may outlive static objects
    return mutex;
}

//! The file that has the name of a thread of this process.
void name_file(char (&path)[64], pid_t thread)
{
    std::snprintf(
        path, sizeof(path), "/proc/self/task/%d/comm", static_cast<int>(thread));
}

bool has_name(pid_t thread, const char* name)
{
    char path[64], line[32] = {};
    name_file(path, thread);
    std::FILE* file = std::fopen(path, "r");
    if (!file)
        return false;
    const bool read = std::fgets(line, sizeof(line), file) != nullptr;
    std::fclose(file);
    line[std::strcspn(line, "\n")] = '\0';
    return read && std::strcmp(line, name) == 0;
}

void set_name(pid_t thread, const char* name)
{
    char path[64];
    name_file(path, thread);
    if (std::FILE* file = std::fopen(path, "w")) {
        std::fputs(name, file);
        std::fclose(file);
    }
}

struct workers {
    std::array<pid_t, max_workers> threads;
    std::size_t count = 0;
};

//! The new workers, in the order in which they were started. More than
//! there is room for count as none.
void find_workers(workers& found)
{
    DIR* const folder = ::opendir("/proc/self/task");
    if (!folder)
        return;
    while (const dirent* entry = ::readdir(folder)) {
        const auto thread = static_cast<pid_t>(std::atoi(entry->d_name));
        if (thread == 0 || !has_name(thread, new_name))
            continue;
        if (found.count == max_workers) {
            found.count = 0;
            break;
        }
        found.threads[found.count++] = thread;
    }
    ::closedir(folder);
    std::sort(found.threads.begin(), found.threads.begin() + found.count);
}

void bind(const workers& found)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (found.count == 0 ||
        ::sched_getaffinity(found.threads[0], sizeof(allowed), &allowed) != 0)
        return;
    std::array<int, CPU_SETSIZE> processors;
    std::size_t count = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &allowed))
            processors[count++] = i;
    // PoCL 7 starts one thread more, for callbacks.
    if (count < 2 || found.count > count + 1)
        return;
    for (std::size_t i = 0; i < found.count; i++) {
        cpu_set_t own;
        CPU_ZERO(&own);
        CPU_SET(processors[i % count], &own);
        ::sched_setaffinity(found.threads[i], sizeof(own), &own);
    }
}

} // namespace

pocl_worker_binding::pocl_worker_binding(bool is_pocl)
{
    const char* users = std::getenv("POCL_AFFINITY");
    if (!is_pocl || (users && users[0]))
        return;
    d_alone = std::unique_lock<std::mutex>(binding_mutex());
    d_notes = ::pthread_getname_np(::pthread_self(), d_name, sizeof(d_name)) == 0 &&
              ::pthread_setname_np(::pthread_self(), new_name) == 0;
}

pocl_worker_binding::~pocl_worker_binding()
{
    if (!d_notes)
        return;
    ::pthread_setname_np(::pthread_self(), d_name);
    workers found;
    find_workers(found);
    bind(found);
    for (std::size_t i = 0; i < found.count; i++)
        set_name(found.threads[i], final_name);
}

#else

pocl_worker_binding::pocl_worker_binding(bool) {}
pocl_worker_binding::~pocl_worker_binding() = default;

#endif

} // namespace cldsp
