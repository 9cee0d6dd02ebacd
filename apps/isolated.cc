// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts the child, reads its answer within the time, and says how it ended otherwise.

#include "isolated.h"

#include "base/reason.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>
#include <cerrno>
#include <chrono>
#include <exception>
#include <iostream>

namespace cldsp::app {

namespace {

using clock = std::chrono::steady_clock;

// The first byte that the child sends, before its answer.
constexpr char answered_mark = 'a', thrown_mark = 't';

void send(int to, const std::string& text)
{
    for (std::size_t done = 0; done < text.size();) {
        const auto n = ::write(to, text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0)
            done += static_cast<std::size_t>(n);
    }
}

[[noreturn]] void be_the_child(const std::function<std::string()>& call, int to)
{
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    // A key that ends the command ends a driver that hangs, too.
    for (const int number : { SIGINT, SIGTERM, SIGHUP })
        ::signal(number, SIG_DFL);
    const int nowhere = ::open("/dev/null", O_RDWR);
    if (nowhere >= 0)
        for (const int stream : { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO })
            ::dup2(nowhere, stream);
    std::string answer;
    try {
        answer = answered_mark + call();
    } catch (const std::exception& e) {
        answer = std::string(1, thrown_mark) + reason_of(e);
    }
    send(to, answer);
    // Skips the clean-up of the drivers, which may crash, too.
    ::_exit(0);
}

double milliseconds_until(clock::time_point time)
{
    return std::chrono::duration<double, std::milli>(time - clock::now()).count();
}

//! Reads until the child closes its end.
//! \returns false if that takes too long
bool receive(int from,
             double seconds,
             const std::function<void()>& is_slow,
             std::string& text)
{
    constexpr double slow_seconds = 3;
    const auto start = clock::now();
    const auto after = [&](double s) {
        return start + std::chrono::duration_cast<clock::duration>(
                           std::chrono::duration<double>(s));
    };
    bool told = !is_slow || seconds <= slow_seconds;
    for (;;) {
        const double left = milliseconds_until(after(told ? seconds : slow_seconds));
        pollfd waiting{ from, POLLIN, 0 };
        const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left) + 1) : 0;
        if (ready == 0) {
            if (told)
                return false;
            told = true;
            is_slow();
            continue;
        }
        char bytes[4096];
        const auto n = ready > 0 ? ::read(from, bytes, sizeof(bytes)) : -1;
        if (n == 0)
            return true;
        if (n > 0)
            text.append(bytes, static_cast<std::size_t>(n));
        else if (errno != EINTR)
            return true;
    }
}

//! The status with which a child ends that has closed its pipe, or was killed. A process
//! that a driver of the system keeps from ending is left behind after a second.
int end_of(pid_t child)
{
    const auto end = clock::now() + std::chrono::seconds(1);
    int status = 0;
    for (;;) {
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child)
            return status;
        if ((ended < 0 && errno != EINTR) || clock::now() > end)
            return 0;
        ::usleep(1000);
    }
}

} // namespace

isolated_result call_isolated(const std::function<std::string()>& call,
                              double seconds,
                              const std::function<void()>& is_slow)
{
    std::cout.flush();
    std::cerr.flush();
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe2");
    const pid_t child = ::fork();
    if (child < 0) {
        const int code = errno;
        ::close(ends[0]);
        ::close(ends[1]);
        throw std::system_error(code, std::generic_category(), "fork");
    }
    if (child == 0) {
        ::close(ends[0]);
        be_the_child(call, ends[1]);
    }
    ::close(ends[1]);
    std::string text;
    const bool in_time = receive(ends[0], seconds, is_slow, text);
    ::close(ends[0]);
    if (!in_time)
        ::kill(child, SIGKILL);
    const int status = end_of(child);
    using ending = isolated_result::ending;
    if (!in_time)
        return { ending::timed_out,
                 "gives no answer within " + std::to_string(static_cast<int>(seconds)) +
                     " seconds" };
    if (!text.empty() && text[0] == answered_mark)
        return { ending::answered, text.substr(1) };
    if (!text.empty())
        return { ending::crashed, text.substr(1) };
    return { ending::crashed,
             WIFSIGNALED(status)
                 ? "crashes (" + std::string(strsignal(WTERMSIG(status))) + ")"
                 : "ends the process" };
}

} // namespace cldsp::app
