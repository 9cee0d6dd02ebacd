// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Talks with that process by lines of text, and stops it where it hangs.

#include "worker.h"

#include "scenarios.h"

#include <cldsp/device.h>
#include <cldsp/errors.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cldsp {

namespace {

// Lines on standard output without this mark come from a driver.
const std::string mark = "answer: ";

std::string in_one_line(std::string text)
{
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::unique_ptr<scenario> make_scenario(const std::string& name)
{
    std::string device;
    for (const auto& info : list_devices())
        if (!info.is_host() && device.empty())
            device = info.id();
    if (device.empty())
        throw std::runtime_error("there is no OpenCL device");
    return find_scenario_kind(name).make(device);
}

// A command of a busy machine may take long. A device that works must not be lost for
// that: its late kernels would write to memory that the host has filled by then. Only
// faults of these kinds leave commands that do not end, so that the whole time passes.
double seconds_to_wait(const fault& what)
{
    switch (what.kind) {
    case fault_kind::hang:
    case fault_kind::late:
    case fault_kind::lost:
        return 0.2;
    default:
        return 2;
    }
}

outcome run_with(scenario& s, const fault& what)
{
    outcome result;
    set_device_timeout(seconds_to_wait(what));
    const armed_fault armed(what);
    const auto clear = [&] { return s.was_made() ? ending::thrown : ending::refused; };
    try {
        result.detail = s.run();
        result.how = result.detail.empty() ? ending::right : ending::wrong;
        if (s.fell_back())
            result.detail += " (on the host)";
    } catch (const opencl_error& e) {
        result = { clear(), false, e.what() };
    } catch (const std::invalid_argument& e) {
        result = { clear(), false, e.what() };
    } catch (const std::exception& e) {
        result = { ending::unclear, false, e.what() };
    } catch (...) {
        result = { ending::unclear, false, "no std::exception" };
    }
    result.struck = armed.struck();
    return result;
}

std::map<std::string, std::uint64_t> counted(scenario& s)
{
    set_device_timeout(0); // compilations take as long as they take
    const armed_fault armed({});
    const auto wrong = s.run();
    if (!wrong.empty())
        throw std::runtime_error("wrong without a fault: " + wrong);
    if (s.fell_back())
        throw std::runtime_error("on the host without a fault");
    return armed.calls();
}

//! The calls of a run, and those that only the first run of a process makes: while the
//! driver compiles, threads wait longer, and do so in other ways.
std::string all_calls(scenario& s)
{
    const auto first = counted(s);
    auto calls = counted(s);
    calls.insert(first.begin(), first.end());
    std::string text;
    for (const auto& [function, count] : calls)
        text += function + " " + std::to_string(count) + " ";
    return text;
}

} // namespace

int serve(const std::string& name)
{
    try {
        const auto s = make_scenario(name);
        std::string request;
        while (std::getline(std::cin, request)) {
            std::string answer;
            if (request == "calls") {
                answer = all_calls(*s);
            } else {
                const auto result = run_with(*s, fault::parse(request));
                answer = std::to_string(static_cast<int>(result.how)) + " " +
                         (result.struck ? "1 " : "0 ") + in_one_line(result.detail);
            }
            std::cout << mark << answer << std::endl;
        }
        return 0;
    } catch (const std::exception& e) {
        std::cerr << e.what() << std::endl;
        return 3;
    }
}

worker::worker(std::string scenario, double seconds)
    : d_scenario(std::move(scenario)), d_seconds(seconds), d_errors(std::tmpfile())
{
    if (!d_errors)
        throw std::runtime_error("cannot make a temporary file");
}

worker::~worker()
{
    stop();
    std::fclose(d_errors);
}

void worker::start()
{
    if (d_process > 0)
        return;
    int requests[2], answers[2];
    if (pipe2(requests, O_CLOEXEC) != 0 || pipe2(answers, O_CLOEXEC) != 0)
        throw std::runtime_error("cannot make a pipe");
    if (ftruncate(fileno(d_errors), 0) == 0)
        std::rewind(d_errors);
    d_unread.clear();
    d_done = 0;
    d_process = fork();
    if (d_process < 0)
        throw std::runtime_error("cannot start a process");
    if (d_process == 0) {
        dup2(requests[0], STDIN_FILENO);
        dup2(answers[1], STDOUT_FILENO);
        dup2(fileno(d_errors), STDERR_FILENO);
        execl("/proc/self/exe",
              "inject_faults",
              "--worker",
              d_scenario.c_str(),
              static_cast<char*>(nullptr));
        _exit(127);
    }
    close(requests[0]);
    close(answers[1]);
    d_requests = requests[1];
    d_answers = answers[0];
}

void worker::stop()
{
    if (d_process <= 0)
        return;
    kill(d_process, SIGKILL);
    waitpid(d_process, nullptr, 0);
    close(d_requests);
    close(d_answers);
    d_process = -1;
}

std::string worker::words() const
{
    constexpr std::size_t most = 6000;
    std::string text(most, '\0');
    const off_t size = lseek(fileno(d_errors), 0, SEEK_END);
    // A sanitizer's message begins with the stack.
    const auto got = pread(fileno(d_errors), text.data(), most, 0);
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    if (size > static_cast<off_t>(most))
        text += "...";
    return text;
}

bool worker::ask(const std::string& request,
                 double seconds,
                 std::string& answer,
                 bool& hung)
{
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + std::chrono::duration<double>(seconds);
    start();
    hung = false;
    const std::string line = request + "\n";
    if (write(d_requests, line.data(), line.size()) < 0)
        return false;
    for (;;) {
        for (auto at = d_unread.find('\n'); at != std::string::npos;
             at = d_unread.find('\n')) {
            const std::string text = d_unread.substr(0, at);
            d_unread.erase(0, at + 1);
            if (text.rfind(mark, 0) == 0) {
                answer = text.substr(mark.size());
                return true;
            }
        }
        const std::chrono::duration<double> left = end - clock::now();
        pollfd p = { d_answers, POLLIN, 0 };
        if (left.count() <= 0 ||
            poll(&p, 1, static_cast<int>(left.count() * 1e3) + 1) == 0) {
            hung = true;
            return false;
        }
        char bytes[4096];
        const auto got = read(d_answers, bytes, sizeof(bytes));
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        if (got > 0)
            d_unread.append(bytes, static_cast<std::size_t>(got));
    }
}

outcome worker::ended(bool hung)
{
    outcome result = { hung ? ending::hang : ending::crash, true, "" };
    if (!hung) {
        int status = 0;
        waitpid(d_process, &status, 0);
        result.detail = WIFSIGNALED(status)
                            ? "signal " + std::to_string(WTERMSIG(status))
                            : "exit status " + std::to_string(WEXITSTATUS(status));
        result.detail += "\n" + words();
        close(d_requests);
        close(d_answers);
        d_process = -1;
    }
    stop();
    return result;
}

std::map<std::string, std::uint64_t> worker::calls()
{
    std::string answer;
    bool hung;
    if (!ask("calls", 10 * d_seconds, answer, hung))
        throw std::runtime_error(
            d_scenario + " fails without a fault: " +
            (hung ? "no end in " + std::to_string(10 * d_seconds) + " s"
                  : ended(false).detail));
    std::map<std::string, std::uint64_t> result;
    std::istringstream stream(answer);
    std::string function;
    std::uint64_t calls;
    while (stream >> function >> calls)
        result[function] = calls;
    return result;
}

outcome worker::run(const fault& what)
{
    auto result = run_here(what);
    if (!result.struck && d_done > 1) {
        stop();
        result = run_here(what);
    }
    // A device that hung counts as lost until the process ends.
    if (what.kind == fault_kind::hang)
        stop();
    return result;
}

outcome worker::run_here(const fault& what)
{
    std::string answer;
    bool hung;
    start();
    ++d_done;
    if (!ask(what.text(), d_seconds, answer, hung))
        return ended(hung);
    std::istringstream stream(answer);
    int how;
    outcome result;
    stream >> how >> result.struck;
    result.how = static_cast<ending>(how);
    stream.ignore();
    std::getline(stream, result.detail);
    return result;
}

} // namespace cldsp
