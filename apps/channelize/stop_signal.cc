// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Notes the first signal, and wakes those who wait for a file.

#include "channelize/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace cldsp::app {

namespace {

constexpr int stopping[] = { SIGINT, SIGTERM, SIGHUP };
constexpr int of_writing[] = { SIGPIPE, SIGXFSZ };

std::atomic<int> signal_number{ 0 };
std::atomic<std::int64_t> signal_time{ 0 }; // of the monotonic clock, in ns
int pipe_ends[2] = { -1, -1 };
static_assert(std::atomic<int>::is_always_lock_free &&
                  std::atomic<std::int64_t>::is_always_lock_free,
              "a signal handler writes them");

std::int64_t nanoseconds()
{
    timespec time = {};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

void note(int number)
{
    const int before = errno;
    signal_time = nanoseconds();
    signal_number = number;
    // The byte stays in the pipe, which thus stays readable.
    [[maybe_unused]] const auto written = write(pipe_ends[1], "", 1);
    for (const int each : stopping)
        std::signal(each, SIG_DFL);
    errno = before;
}

bool wait_for_any(pollfd* files, nfds_t count, double seconds)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
        int left = -1;
        if (seconds >= 0) {
            const std::chrono::duration<double, std::milli> rest = end - clock::now();
            left = rest.count() > 0 ? static_cast<int>(rest.count()) + 1 : 0;
        }
        const int ready = poll(files, count, left);
        if (ready >= 0)
            return files[0].revents != 0;
        if (errno != EINTR)
            throw std::system_error(errno, std::generic_category(), "poll");
    }
}

} // namespace

stop_signal::stop_signal()
{
    signal_number = 0;
    if (pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    for (const int each : of_writing)
        std::signal(each, SIG_IGN);
    for (const int each : stopping) {
        struct sigaction action = {};
        sigaction(each, nullptr, &action);
        // Signals that the caller wants to be ignored, as nohup does, stay ignored.
        if (action.sa_handler == SIG_IGN)
            continue;
        action = {};
        action.sa_handler = note;
        sigaction(each, &action, nullptr);
    }
}

stop_signal::~stop_signal()
{
    for (const int each : stopping)
        std::signal(each, SIG_DFL);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    pipe_ends[0] = pipe_ends[1] = -1;
}

void stop_signal::ask()
{
    int none = 0;
    if (!signal_number)
        signal_time = nanoseconds();
    signal_number.compare_exchange_strong(none, -1);
    [[maybe_unused]] const auto written = write(pipe_ends[1], "", 1);
}

int stop_signal::number() { return signal_number; }

double stop_signal::seconds()
{
    return signal_number ? static_cast<double>(nanoseconds() - signal_time) * 1e-9 : 0;
}

int stop_signal::file() { return pipe_ends[0]; }

bool wait_for(int file, short events, double seconds)
{
    pollfd files[] = { { file, events, 0 }, { stop_signal::file(), POLLIN, 0 } };
    return wait_for_any(files, 2, seconds);
}

bool wait_for_file(int file, short events, double seconds)
{
    pollfd files[] = { { file, events, 0 } };
    return wait_for_any(files, 1, seconds);
}

} // namespace cldsp::app
