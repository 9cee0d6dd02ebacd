// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Gives the samples of a channel to a shell command, which is started again if it ends.

#include "base/reason.h"
#include "channelize/byte_sink.h"
#include "channelize/file_descriptor.h"
#include "channelize/stop_signal.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

extern char** environ;

namespace cldsp::app {

namespace {

using clock_type = std::chrono::steady_clock;

// A command has failed if it ends after less time than this and has also read less than
// this much of the signal.
constexpr double short_life = 1; // seconds
constexpr int max_failures = 5;  // in succession
// A pipe accepts this many bytes even if the command reads none.
constexpr double pipe_bytes = 65536;
// After a signal to stop, a command has this much time to read or to end.
constexpr double program_patience = 2; // seconds

void check(int error, const char* what)
{
    if (error)
        throw std::system_error(error, std::generic_category(), what);
}

//! The variables of this process, with some replaced.
std::vector<std::string> environment_with(const std::vector<command_variable>& ours)
{
    std::vector<std::string> all;
    for (char** each = environ; *each; each++) {
        const std::string variable = *each;
        if (std::none_of(ours.begin(), ours.end(), [&](const auto& v) {
                return variable.compare(0, v.name.size() + 1, v.name + "=") == 0;
            }))
            all.push_back(variable);
    }
    for (const auto& each : ours)
        all.push_back(each.name + "=" + each.value);
    return all;
}

//! A shell that runs a command, with a pipe to its standard input.
class shell
{
public:
    explicit shell(const shell_command& command) : d_start(clock_type::now())
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            check(errno, "pipe");
        const file_descriptor reading(ends[0]);
        d_pipe = file_descriptor(ends[1]);
        if (fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
            check(errno, "fcntl");

        posix_spawn_file_actions_t files;
        posix_spawnattr_t how;
        check(posix_spawn_file_actions_init(&files), "posix_spawn");
        check(posix_spawnattr_init(&how), "posix_spawn");
        posix_spawn_file_actions_adddup2(&files, reading.get(), STDIN_FILENO);
        sigset_t defaults;
        sigemptyset(&defaults);
        for (const int each : { SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP })
            sigaddset(&defaults, each);
        posix_spawnattr_setsigdefault(&how, &defaults);
        // The command gets a process group of its own, so that Ctrl-C stops only this
        // program, which then closes the command's input after the last sample.
        posix_spawnattr_setpgroup(&how, 0);
        posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
        std::string text = command.text;
        auto variables = environment_with(command.variables);
        std::vector<char*> environment;
        for (auto& each : variables)
            environment.push_back(each.data());
        environment.push_back(nullptr);
        char name[] = "sh", option[] = "-c";
        char* arguments[] = { name, option, text.data(), nullptr };
        const int error = posix_spawn(
            &d_process, "/bin/sh", &files, &how, arguments, environment.data());
        posix_spawn_file_actions_destroy(&files);
        posix_spawnattr_destroy(&how);
        check(error, "a command cannot be started");
    }
    ~shell()
    {
        d_pipe.reset();
        if (!d_ended) {
            kill(-d_process, SIGKILL);
            waitpid(d_process, nullptr, 0);
        }
    }
    shell(const shell&) = delete;
    shell& operator=(const shell&) = delete;

    /*!
     * Writes as many bytes as the pipe accepts, and waits while the pipe is full.
     *
     * \return the number of bytes written; 0 if the command has closed its input
     */
    std::size_t write(const unsigned char* bytes, std::size_t count)
    {
        while (true) {
            const ssize_t done = ::write(d_pipe.get(), bytes, count);
            if (done >= 0)
                return static_cast<std::size_t>(done);
            if (errno == EPIPE)
                return 0;
            if (errno == EAGAIN && !wait_for(d_pipe.get(), POLLOUT, -1) &&
                !wait_for_file(d_pipe.get(), POLLOUT, program_patience))
                throw std::runtime_error("it does not read");
            if (errno != EAGAIN && errno != EINTR)
                check(errno, "write");
        }
    }
    //! Ends the command's input.
    void close()
    {
        if (d_pipe)
            d_closed = clock_type::now();
        d_pipe.reset();
    }
    //! Closes the command's input and waits until the command ends. The wait has no limit
    //! until a signal to stop comes. \return the exit status, as from waitpid()
    int end()
    {
        close();
        bool asked = false;
        constexpr double step = 0.01;
        for (int status = 0;;) {
            const pid_t ended = waitpid(d_process, &status, WNOHANG);
            if (ended == d_process || (ended < 0 && errno == ECHILD)) {
                d_ended = true;
                return status;
            }
            // The wait of every command counts from the same signal, so that many
            // commands together take no longer than one.
            const std::chrono::duration<double> closed = clock_type::now() - d_closed;
            const double waited = std::min(closed.count(), stop_signal::seconds());
            if (waited >= 2 * program_patience)
                kill(-d_process, SIGKILL);
            else if (waited >= program_patience && !std::exchange(asked, true))
                kill(-d_process, SIGTERM);
            std::this_thread::sleep_for(std::chrono::duration<double>(step));
        }
    }
    //! Ends a command that no longer reads its input.
    int stop()
    {
        d_pipe.reset();
        const auto begin = clock_type::now();
        for (int status = 0;;) {
            if (waitpid(d_process, &status, WNOHANG) != 0) {
                d_ended = true;
                return status;
            }
            const std::chrono::duration<double> waited = clock_type::now() - begin;
            if (waited.count() > program_patience)
                kill(-d_process, SIGKILL);
            else if (waited.count() > program_patience / 4)
                kill(-d_process, SIGTERM);
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
    }
    double seconds() const
    {
        return std::chrono::duration<double>(clock_type::now() - d_start).count();
    }

private:
    clock_type::time_point d_start, d_closed;
    file_descriptor d_pipe;
    pid_t d_process = -1;
    bool d_ended = false;
};

std::string status_text(int status)
{
    if (WIFSIGNALED(status))
        return "was ended by signal " + std::to_string(WTERMSIG(status));
    return "ended with status " + std::to_string(WEXITSTATUS(status));
}

class command_sink final : public byte_sink
{
public:
    command_sink(const shell_command& command,
                 const std::string& channel,
                 const std::string& head,
                 std::size_t item_bytes,
                 double bytes_per_second)
        : d_command(command),
          d_channel(channel),
          d_head(head),
          d_head_due(head),
          d_item_bytes(item_bytes),
          d_short_life_bytes(short_life * bytes_per_second + pipe_bytes),
          d_shell(std::make_unique<shell>(command))
    {
    }

    void write(const unsigned char* bytes, std::size_t count) override
    {
        for (std::size_t done = 0; done < count && d_shell;) {
            if (!d_head_due.empty()) {
                write_head();
                continue;
            }
            const std::size_t more = give(bytes + done, count - done);
            done += more;
            d_written += more;
            d_given += more;
            if (more == 0)
                // The command has ended. The next one begins with a whole sample.
                done += start_again()
                            ? (d_item_bytes - done % d_item_bytes) % d_item_bytes
                            : 0;
        }
    }
    void close() override
    {
        // If the input has no samples, the command still gets the head.
        while (d_shell && !d_head_due.empty() && !stop_signal::number())
            write_head();
        if (d_shell)
            d_shell->close();
    }
    void finish() override
    {
        if (!d_shell)
            return;
        const int status = d_shell->end();
        d_shell.reset();
        if (status != 0 && d_problem.empty())
            d_problem =
                "the command of channel '" + d_channel + "' " + status_text(status);
    }
    void discard() override { d_shell.reset(); }
    std::uint64_t written() const override { return d_written; }
    std::string problem() const override { return d_problem; }
    bool is_given_up() const override { return !d_shell; }
    std::string target() const override { return d_command.text; }

private:
    //! \return the number of bytes that the pipe accepted; 0 if the command has closed
    //! its input
    std::size_t give(const unsigned char* bytes, std::size_t count)
    {
        try {
            return d_shell->write(bytes, count);
        } catch (const std::exception& e) {
            d_shell.reset();
            throw std::runtime_error("the command of channel '" + d_channel +
                                     "' cannot be written to: " + reason_of(e));
        }
    }
    //! Writes a part of the head; starts the command again if it has closed its input.
    void write_head()
    {
        const std::size_t more = give(
            reinterpret_cast<const unsigned char*>(d_head_due.data()), d_head_due.size());
        d_head_due.erase(0, more);
        if (more == 0)
            start_again();
    }
    bool start_again()
    {
        const double seconds = d_shell->seconds();
        const int status = d_shell->stop();
        const bool failed =
            seconds < short_life && static_cast<double>(d_given) < d_short_life_bytes;
        d_failures = failed ? d_failures + 1 : 0;
        d_given = 0;
        std::string line =
            "the command of channel '" + d_channel + "' " + status_text(status);
        if (d_failures == max_failures) {
            d_shell.reset();
            d_problem = line + " " + std::to_string(max_failures) +
                        " times in less than a second; it is not started again";
            std::cerr << "cldsp: " + d_problem + "\n";
            return false;
        }
        d_shell = std::make_unique<shell>(d_command);
        d_head_due = d_head;
        std::cerr << "cldsp: " + line + "; it is started again\n";
        return true;
    }

    shell_command d_command;
    std::string d_channel;
    // The head for each command, and the part of it that the running one has not got yet.
    std::string d_head, d_head_due;
    std::size_t d_item_bytes;
    double d_short_life_bytes;
    std::unique_ptr<shell> d_shell; // null when the command was given up
    std::uint64_t d_written = 0;
    std::uint64_t d_given = 0; // to the running command
    int d_failures = 0;        // in succession
    std::string d_problem;
};

} // namespace

bool is_known_to_shell(const std::string& word)
{
    return shell({ "command -v \"$CLDSP_WORD\" > /dev/null 2>&1",
                   { { "CLDSP_WORD", word } } })
               .end() == 0;
}

std::unique_ptr<byte_sink> make_command_sink(const shell_command& command,
                                             const std::string& channel,
                                             const std::string& head,
                                             std::size_t item_bytes,
                                             double bytes_per_second)
{
    return std::make_unique<command_sink>(
        command, channel, head, item_bytes, bytes_per_second);
}

} // namespace cldsp::app
