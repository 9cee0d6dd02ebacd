// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Starts and ends the processes that try drivers, and reads what they report.

#include "check_driver/supervisor.h"

#include "check_driver/driver_try.h"
#include "opencl/driver_check.h"
#include "opencl/icd_search.h"
#include "storage/file_lock.h"

#include <system_error>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cldsp::check_driver {

namespace {

using variables = shown_drivers::variables;

// The process that tries drivers now, which leads a group; 0: there is none.
volatile pid_t trying = 0;

void end_group(pid_t leader) noexcept
{
    if (leader > 0)
        ::kill(-leader, SIGKILL);
}

extern "C" void end_everything(int)
{
    end_group(trying);
    ::_exit(1);
}

void end_with_parent(int parent)
{
    struct sigaction action = {};
    action.sa_handler = end_everything;
    for (const int number : { SIGTERM, SIGINT, SIGHUP })
        ::sigaction(number, &action, nullptr);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (::getppid() != parent)
        ::_exit(1);
}

// What came of one process.
struct trial {
    std::optional<driver_verdict> verdict; // if the drivers are good
    failed_driver failure;
};

[[noreturn]] void
become_the_trial(const order& given, const variables& shown, int report, int output)
{
    ::setpgid(0, 0);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    // A crash is what this process is for, and leaves no file in the caller's folder.
    const struct rlimit no_core = {};
    ::setrlimit(RLIMIT_CORE, &no_core);
    shown_drivers::set(shown);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(report, report_descriptor);
    ::close(life_descriptor);
    const char* const words[] = { given.program.c_str(),
                                  trial_word,
                                  given.salt.c_str(),
                                  given.cache_folder.c_str(),
                                  nullptr };
    ::execv(given.program.c_str(), const_cast<char**>(words));
    ::_exit(cannot_start);
}

std::string signal_text(int number)
{
    switch (number) {
    case SIGABRT:
        return "aborts";
    case SIGXFSZ:
        return "is ended by the limit of a file's size (ulimit -f)";
    case SIGKILL:
        return "is killed by the system, which may have no memory left";
    default:
        return std::string("crashes (") + ::strsignal(number) + ")";
    }
}

// A pipe to this process, whose reading end never blocks.
class pipe_from_trial
{
public:
    pipe_from_trial()
    {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe2");
        read = file_descriptor(ends[0]);
        write = file_descriptor(ends[1]);
        ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }

    std::string text() const
    {
        std::string all;
        char bytes[4096];
        for (ssize_t count; (count = ::read(read.get(), bytes, sizeof(bytes))) > 0;)
            all.append(bytes, static_cast<std::size_t>(count));
        return all;
    }

    file_descriptor read, write;
};

// What a trial reports in lines, one after the other, and what its drivers print.
class trial_report
{
public:
    pipe_from_trial lines, output;

    const std::string& step() const { return d_step; }
    bool has_printed() const { return d_has_printed; }
    const std::optional<driver_verdict>& verdict() const { return d_verdict; }

    //! \return whether a step has begun
    bool read()
    {
        bool progress = false;
        d_has_printed = !output.text().empty() || d_has_printed;
        d_text += lines.text();
        for (std::size_t end; (end = d_text.find('\n')) != std::string::npos;) {
            take(d_text.substr(0, end));
            d_text.erase(0, end + 1);
            progress = true;
        }
        return progress;
    }

private:
    void take(const std::string& line)
    {
        if (auto verdict = driver_verdict::parse(line)) {
            d_verdict = std::move(verdict);
            d_step = "the process ends";
        } else {
            d_step = line;
        }
    }

    bool d_has_printed = false;
    std::string d_text, d_step;
    std::optional<driver_verdict> d_verdict;
};

// The time in which this process could run. While the processors are busy with others, or
// the machine sleeps, its own steps come late as well, and a driver is not to blame.
class patience
{
public:
    explicit patience(double seconds) : d_seconds(seconds) {}

    void begin_step() { d_passed = 0; }
    bool is_over()
    {
        constexpr double most = 0.1; // of a step of the loop, which waits for 0.05 s
        const auto now = clock::now();
        d_passed += std::min(most, std::chrono::duration<double>(now - d_last).count());
        d_last = now;
        return d_passed > d_seconds;
    }

private:
    using clock = std::chrono::steady_clock;
    double d_seconds, d_passed = 0;
    clock::time_point d_last = clock::now();
};

void wait_a_little(const trial_report& report)
{
    pollfd waiting[] = { { life_descriptor, POLLIN, 0 },
                         { report.lines.read.get(), POLLIN, 0 },
                         { report.output.read.get(), POLLIN, 0 } };
    if (::poll(waiting, 3, 50) > 0 && (waiting[0].revents & (POLLHUP | POLLERR)))
        end_everything(0);
    // A closed pipe stays readable: then there is nothing but the end to wait for.
    if ((waiting[1].revents | waiting[2].revents) & POLLHUP)
        ::usleep(5000);
}

// A process that a driver of the system keeps from ending is left behind after a second.
int end_of_group(pid_t leader)
{
    end_group(leader);
    int status = 0;
    for (int i = 0; i < 200 && ::waitpid(leader, &status, WNOHANG) == 0; i++)
        ::usleep(5000);
    return status;
}

trial judged(const trial_report& report, int status, const std::string& late)
{
    trial result;
    result.failure.when = report.step();
    result.failure.late = !late.empty();
    if (!late.empty())
        result.failure.how = late;
    else if (WIFSIGNALED(status))
        result.failure.how = signal_text(WTERMSIG(status));
    else if (!report.verdict() || WEXITSTATUS(status) != 0)
        result.failure.how = "ends the process";
    else if (report.has_printed()) // among the samples that a program may write there
        result.failure.how = "prints to the standard output";
    else
        result.verdict = report.verdict();
    return result;
}

trial try_drivers(const order& given, const variables& shown)
{
    trial_report report;
    const pid_t child = ::fork();
    if (child < 0)
        throw std::system_error(errno, std::generic_category(), "fork");
    if (child == 0)
        become_the_trial(
            given, shown, report.lines.write.get(), report.output.write.get());
    trying = child;
    ::setpgid(child, child); // also here, because either may be the first
    report.lines.write.close();
    report.output.write.close();
    patience left(given.seconds);
    int status = 0;
    std::string late;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        wait_a_little(report);
        if (report.read())
            left.begin_step();
        if (left.is_over()) {
            late = "gives no answer within " +
                   std::to_string(static_cast<int>(given.seconds)) + " seconds";
            end_of_group(child);
            break;
        }
    }
    end_group(child); // what it has left behind
    trying = 0;
    report.read();
    if (late.empty() && WIFEXITED(status) && WEXITSTATUS(status) == cannot_start)
        throw std::system_error(ENOEXEC, std::generic_category(), given.program);
    return judged(report, status, late);
}

trial try_some(const order& given, const std::vector<icd_entry>& drivers)
{
    const shown_drivers shown(drivers);
    return try_drivers(given, shown.values());
}

std::vector<icd_entry> all_drivers()
{
    std::vector<icd_entry> all;
    for (const auto& search : search_icds(is_ocl_icd(loader_name())))
        for (const auto& entry : search.entries)
            if (entry.error.empty())
                all.push_back(entry);
    return all;
}

driver_verdict with_failure(driver_verdict verdict, failed_driver failure, icd_entry icd)
{
    failure.icd = std::move(icd);
    verdict.failed.push_back(std::move(failure));
    return verdict;
}

// A driver that is good alone.
struct good_driver {
    icd_entry icd;
    driver_verdict verdict;

    std::size_t gpus() const
    {
        return static_cast<std::size_t>(std::count_if(
            verdict.devices.begin(), verdict.devices.end(), [](const device_info& d) {
                return d.kind == device_kind::gpu;
            }));
    }
};

//! The verdict on drivers that are good alone: all of them, or as many as get along.
driver_verdict try_together(const order& given, std::vector<good_driver> good)
{
    if (good.empty())
        return {};
    std::stable_sort(good.begin(), good.end(), [](const auto& a, const auto& b) {
        return std::make_pair(a.gpus(), a.verdict.devices.size()) >
               std::make_pair(b.gpus(), b.verdict.devices.size());
    });
    driver_verdict verdict = good.front().verdict;
    verdict.only = { good.front().icd };
    std::vector<icd_entry> all;
    for (const auto& driver : good)
        all.push_back(driver.icd);
    if (all.size() == 1)
        return verdict;
    if (auto together = try_some(given, all); together.verdict) {
        together.verdict->only = all;
        return *together.verdict;
    }
    for (std::size_t i = 1; i < good.size(); i++) {
        auto more = verdict.only;
        more.push_back(good[i].icd);
        auto together = try_some(given, more);
        if (together.verdict) {
            together.verdict->failed = std::move(verdict.failed);
            together.verdict->only = std::move(more);
            verdict = std::move(*together.verdict);
        } else {
            together.failure.how += " beside another driver";
            verdict = with_failure(std::move(verdict), together.failure, good[i].icd);
        }
    }
    return verdict;
}

} // namespace

driver_verdict try_all_drivers(const order& given)
{
    end_with_parent(given.parent);
    auto whole = try_drivers(given, {});
    if (whole.verdict)
        return *whole.verdict;
    const auto drivers = all_drivers();
    if (drivers.size() < 2)
        return with_failure(
            {}, whole.failure, drivers.empty() ? icd_entry() : drivers.front());
    std::vector<good_driver> good;
    driver_verdict failed;
    for (const auto& driver : drivers) {
        auto alone = try_some(given, { driver });
        if (!alone.verdict)
            failed = with_failure(std::move(failed), alone.failure, driver);
        else if (!alone.verdict->devices.empty())
            good.push_back({ driver, std::move(*alone.verdict) });
    }
    auto verdict = try_together(given, std::move(good));
    verdict.failed.insert(
        verdict.failed.end(), failed.failed.begin(), failed.failed.end());
    // They fail only together, and this time they did not.
    if (verdict.failed.empty())
        verdict.only.clear();
    return verdict;
}

} // namespace cldsp::check_driver
