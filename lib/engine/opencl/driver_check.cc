// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the program that tries drivers, starts it, and reads its verdict.

#include "opencl/driver_check.h"

#include "storage/file_lock.h"

#include <cldsp/errors.h>

#include <system_error>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cldsp {

namespace {

// The program lies in this folder, beside the library in the package and in the build.
constexpr const char* program_below_library = CLDSP_CHECK_DRIVER;

std::string check_program()
{
    // Of a program with more rights than its caller nobody chooses the helper.
    if (const char* named = ::secure_getenv("CLDSP_CHECK_DRIVER"))
        return named;
    // Where the library is a part of a program, its file may have any name there.
    Dl_info here = {};
    const bool found = ::dladdr(program_below_library, &here) && here.dli_fname;
    std::string first;
    for (const char* file : { found ? here.dli_fname : "", "/proc/self/exe" }) {
        std::error_code error;
        const auto library = std::filesystem::canonical(file, error);
        const auto program = library.parent_path() / program_below_library;
        if (error)
            continue;
        if (::access(program.c_str(), X_OK) == 0)
            return program.string();
        if (first.empty())
            first = program.string();
    }
    return first.empty() ? program_below_library : first;
}

//! The two ends of a pipe. Their numbers are above those that the program gets.
struct pipe_ends {
    file_descriptor read, write;

    bool open()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return false;
        const file_descriptor first(ends[0]), second(ends[1]);
        constexpr int above = 10;
        read = file_descriptor(::fcntl(ends[0], F_DUPFD_CLOEXEC, above));
        write = file_descriptor(::fcntl(ends[1], F_DUPFD_CLOEXEC, above));
        return read.get() >= 0 && write.get() >= 0;
    }
};

//! How the program starts: with all signals as usual, nothing on its three streams, and
//! in a group of its own, which a key of the terminal does not end before it has cleaned
//! up.
class spawn_settings
{
public:
    spawn_settings(int answer, int life)
    {
        check(::posix_spawn_file_actions_init(&actions));
        check(::posix_spawnattr_init(&attributes));
        check(::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0));
        check(::posix_spawn_file_actions_adddup2(&actions, 0, 1));
        check(::posix_spawn_file_actions_adddup2(&actions, 0, 2));
        check(::posix_spawn_file_actions_adddup2(&actions, answer, answer_descriptor));
        check(::posix_spawn_file_actions_adddup2(&actions, life, life_descriptor));
        sigset_t none, all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        check(::posix_spawnattr_setsigmask(&attributes, &none));
        check(::posix_spawnattr_setsigdefault(&attributes, &all));
        check(::posix_spawnattr_setpgroup(&attributes, 0));
        check(::posix_spawnattr_setflags(&attributes,
                                         POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                             POSIX_SPAWN_SETPGROUP));
    }
    ~spawn_settings()
    {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
    spawn_settings(const spawn_settings&) = delete;
    spawn_settings& operator=(const spawn_settings&) = delete;

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;

private:
    static void check(int code)
    {
        if (code != 0)
            throw std::system_error(code, std::generic_category(), "posix_spawn");
    }
};

std::string seconds_of_drivers()
{
    const char* seconds = std::getenv("CLDSP_DRIVER_SECONDS");
    return seconds && std::atoi(seconds) > 0 ? std::to_string(std::atoi(seconds)) : "30";
}

//! \return the program's process
//! \throws std::system_error
pid_t start(const std::string& program,
            const check_request& request,
            const pipe_ends& answer,
            const pipe_ends& life)
{
    std::array<std::string, 7> words = { program,
                                         std::to_string(answer_descriptor),
                                         std::to_string(life_descriptor),
                                         std::to_string(::getpid()),
                                         seconds_of_drivers(),
                                         request.salt,
                                         request.cache_folder };
    std::array<char*, 8> arguments = {};
    for (std::size_t i = 0; i < words.size(); i++)
        arguments[i] = words[i].data();
    const spawn_settings settings(answer.write.get(), life.read.get());
    pid_t process = 0;
    const int code = ::posix_spawn(&process,
                                   program.c_str(),
                                   &settings.actions,
                                   &settings.attributes,
                                   arguments.data(),
                                   environ);
    if (code != 0)
        throw std::system_error(code, std::generic_category(), program);
    return process;
}

//! The program while it runs. It ends before this object does.
class running_program
{
public:
    explicit running_program(pid_t process) : d_process(process) {}
    ~running_program()
    {
        while (!d_ended && ::waitpid(d_process, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    running_program(const running_program&) = delete;
    running_program& operator=(const running_program&) = delete;

    //! There is no child to wait for if the process ignores SIGCHLD, or another thread
    //! has waited for it.
    bool has_ended()
    {
        d_ended = d_ended || ::waitpid(d_process, nullptr, WNOHANG) != 0;
        return d_ended;
    }

private:
    pid_t d_process;
    bool d_ended = false;
};

//! Reads what there is.
//! \return whether there may be more
bool read_some(int from, int milliseconds, std::string& text)
{
    pollfd waiting{ from, POLLIN, 0 };
    const int ready = ::poll(&waiting, 1, milliseconds);
    if (ready == 0)
        return true;
    char bytes[4096];
    const auto count = ready > 0 ? ::read(from, bytes, sizeof(bytes)) : -1;
    if (count > 0)
        text.append(bytes, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
}

//! Reads until the program closes its end, or ends: a child that another thread has
//! forked meanwhile may have the other end, too. \return false if the caller does not
//! want to wait any longer
bool read_answer(int from,
                 running_program& program,
                 const check_request& request,
                 std::string& text)
{
    using clock = std::chrono::steady_clock;
    constexpr int step = 50; // milliseconds
    const auto slow = clock::now() + std::chrono::seconds(1);
    bool told = !request.is_slow;
    for (;;) {
        if (request.stopped && request.stopped())
            return false;
        if (!told && clock::now() > slow) {
            told = true;
            request.is_slow();
        }
        const bool was_last = program.has_ended();
        const auto before = text.size();
        if (!read_some(from, was_last ? 0 : step, text) ||
            (was_last && text.size() == before))
            return true;
    }
}

} // namespace

std::optional<driver_verdict> check_drivers_apart(const check_request& request,
                                                  std::string& why_not)
{
    std::string text;
    bool wanted = false;
    try {
        pipe_ends answer, life;
        if (!answer.open() || !life.open())
            throw std::system_error(errno, std::generic_category(), "pipe2");
        // The other end of `life` is closed first, so that the program ends.
        struct closed_at_end {
            file_descriptor& file;
            ~closed_at_end() { file.close(); }
        };
        running_program program(start(check_program(), request, answer, life));
        const closed_at_end end{ life.write };
        answer.write.close();
        life.read.close();
        wanted = read_answer(answer.read.get(), program, request, text);
    } catch (const std::system_error& e) {
        why_not = e.what();
        return std::nullopt;
    }
    if (!wanted)
        throw planning_stopped();
    auto verdict = driver_verdict::parse(text);
    constexpr std::string_view cannot = "cannot: ";
    if (!verdict)
        why_not = text.compare(0, cannot.size(), cannot) == 0
                      ? text.substr(cannot.size())
                      : check_program() + " gives no answer";
    return verdict;
}

} // namespace cldsp
