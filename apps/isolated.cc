/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "isolated.h"

#include "base/reason.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
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

//! Reads until the child closes its end.
//! \returns false if that takes too long
bool receive(int from, double seconds, std::string& text)
{
    const auto end = clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        const double left =
            std::chrono::duration<double, std::milli>(end - clock::now()).count();
        pollfd waiting{ from, POLLIN, 0 };
        const int ready = left > 0 ? ::poll(&waiting, 1, static_cast<int>(left) + 1) : 0;
        if (ready == 0)
            return false;
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

} // namespace

isolated_result call_isolated(const std::function<std::string()>& call, double seconds)
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
    const bool in_time = receive(ends[0], seconds, text);
    ::close(ends[0]);
    if (!in_time)
        ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;

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
