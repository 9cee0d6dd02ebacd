// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes every call of OpenCL fail in turn, and judges how small runs end.

/*
 * Makes every call of OpenCL fail in turn, in small runs of the engine, and judges the
 * results. Right results or a clear exception are correct. Anything else is a defect, and
 * the exit status is 1.
 */

#include "opencl_faults.h"
#include "scenarios.h"
#include "worker.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <future>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

using namespace cldsp;

namespace {

const char* const usage =
    "usage: inject_faults [OPTION]...\n"
    "  --scenario NAME   only this one; may be given several times\n"
    "  --kinds A,B,...   of faults; by default one, late, sticky, lost, release, "
    "event,\n"
    "                    events, hang\n"
    "  --fault F:N:KIND  only the N-th call of the function F\n"
    "  --most N          calls of a function at most, the first, the last and some of "
    "the\n"
    "                    others (300)\n"
    "  --few             one or two calls of each function and kind, not every one, and\n"
    "                    fewer functions in scenarios that vary another one\n"
    "  --seconds S       stop after S seconds; faults come in a random order\n"
    "  --jobs N          run N scenarios at once (1): about half of the time passes in\n"
    "                    waiting\n"
    "  --bound S         what one fault may take, in seconds (60)\n"
    "  --verbose         a line for each fault\n"
    "  --list            name the scenarios\n";

struct settings {
    std::vector<std::string> scenarios;
    std::vector<fault_kind> kinds = { fault_kind::one,     fault_kind::late,
                                      fault_kind::sticky,  fault_kind::lost,
                                      fault_kind::release, fault_kind::event,
                                      fault_kind::events,  fault_kind::hang };
    std::vector<fault> faults; // empty: all faults
    std::uint64_t most = 300;  // largest number of calls of a function that fail
    bool few = false;
    double seconds = 0;   // 0: no limit
    std::size_t jobs = 1; // number of scenarios that run at once
    double bound = 60;
    bool verbose = false;
};

std::vector<std::string> split(const std::string& text)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');)
        parts.push_back(part);
    return parts;
}

double positive(const std::string& text)
{
    const double value = std::stod(text);
    if (!(value > 0))
        throw std::invalid_argument("'" + text + "' has to be above 0");
    return value;
}

settings read_arguments(int argc, char** argv)
{
    settings s;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&]() -> std::string {
            if (++i == argc)
                throw std::invalid_argument(option + " needs a value");
            return argv[i];
        };
        if (option == "--scenario") {
            s.scenarios.push_back(value());
        } else if (option == "--kinds") {
            s.kinds.clear();
            for (const auto& name : split(value()))
                s.kinds.push_back(find_fault_kind(name));
        } else if (option == "--fault") {
            s.faults.push_back(fault::parse(value()));
        } else if (option == "--most") {
            s.most = static_cast<std::uint64_t>(positive(value()));
        } else if (option == "--few") {
            s.few = true;
        } else if (option == "--seconds") {
            s.seconds = positive(value());
        } else if (option == "--jobs") {
            s.jobs = static_cast<std::size_t>(std::ceil(positive(value())));
        } else if (option == "--bound") {
            s.bound = positive(value());
        } else if (option == "--verbose") {
            s.verbose = true;
        } else {
            throw std::invalid_argument("there is no option '" + option + "'");
        }
    }
    for (const auto& name : s.scenarios)
        find_scenario_kind(name);
    if (s.scenarios.empty())
        for (const auto& kind : scenario_kinds())
            s.scenarios.push_back(kind.name);
    return s;
}

//! The numbers of the calls that fail, out of \p count calls of a function.
std::vector<std::uint64_t>
chosen_calls(std::uint64_t count, fault_kind kind, const settings& s)
{
    if (!s.few) {
        // With more calls than s.most: the first s.most / 2 calls, and as many others,
        // spread evenly up to the last call.
        std::vector<std::uint64_t> calls;
        const std::uint64_t each = count <= s.most ? count : (s.most + 1) / 2;
        for (std::uint64_t i = 1; i <= each; ++i)
            calls.push_back(i);
        for (std::uint64_t i = 1, rest = std::min(count, s.most) - each; i <= rest; ++i)
            calls.push_back(each + (count - each) * i / rest);
        return calls;
    }
    switch (kind) {
    case fault_kind::one:
    case fault_kind::release:
        return { count };
    case fault_kind::lost:
    case fault_kind::events:
        return { (count + 1) / 2 };
    case fault_kind::event:
        if (count > 1)
            return { 1, count };
        return { 1 };
    case fault_kind::hang:
        return {}; // each hang takes as long as the engine waits
    default:
        return { 1 };
    }
}

//! Whether a fault shows something in a variation of another scenario. Devices and
//! contexts are made and released alike in both. Of the other calls that make objects or
//! ask for something, a single refusal and a lost device are enough.
bool tells_of_variation(const fault& f)
{
    static const std::set<std::string> alike = { "clGetPlatformIDs", "clGetPlatformInfo",
                                                 "clGetDeviceIDs",   "clGetDeviceInfo",
                                                 "clCreateContext",  "clRetainContext",
                                                 "clRetainDevice",   "clReleaseContext",
                                                 "clReleaseDevice" };
    if (alike.count(f.function))
        return false;
    const auto begins = [&](const char* text) { return f.function.rfind(text, 0) == 0; };
    return f.kind == fault_kind::one || f.kind == fault_kind::lost ||
           begins("clEnqueue") || begins("clRelease") || begins("clF") ||
           begins("clWait");
}

std::vector<fault> all_faults(const std::map<std::string, std::uint64_t>& calls,
                              const settings& s,
                              bool is_variation)
{
    std::vector<fault> faults;
    for (const auto& [function, count] : calls)
        for (const auto kind : s.kinds)
            for (const auto call : chosen_calls(count, kind, s)) {
                const fault f{ function, call, kind };
                if (f.possible() && (!s.few || !is_variation || tells_of_variation(f)))
                    faults.push_back(f);
            }
    return faults;
}

//! The numbers of the endings of a scenario's faults.
struct tally {
    std::array<std::size_t, ending_names.size()> count{};
    std::size_t of = 0, struck = 0;

    std::size_t done() const
    {
        std::size_t sum = 0;
        for (const auto n : count)
            sum += n;
        return sum;
    }
    bool good() const
    {
        for (std::size_t i = 0; i < count.size(); ++i)
            if (count[i] && !is_good(static_cast<ending>(i)))
                return false;
        return true;
    }
    void add(const tally& other)
    {
        for (std::size_t i = 0; i < count.size(); ++i)
            count[i] += other.count[i];
        of += other.of;
        struck += other.struck;
    }
};

void print_head()
{
    std::cout << std::left << std::setw(16) << "scenario" << std::right;
    for (const char* name : ending_names)
        std::cout << std::setw(9) << name;
    std::cout << std::setw(9) << "struck" << std::setw(9) << "faults" << std::setw(9)
              << "of" << std::endl;
}

void print_row(const std::string& name, const tally& t)
{
    std::cout << std::left << std::setw(16) << name << std::right;
    for (const auto n : t.count)
        std::cout << std::setw(9) << n;
    std::cout << std::setw(9) << t.struck << std::setw(9) << t.done() << std::setw(9)
              << t.of << std::endl;
}

// A job holds this mutex while it prints.
std::mutex printing;

void tell(const std::string& scenario, const fault& f, const outcome& o)
{
    const std::lock_guard<std::mutex> lock(printing);
    std::cout << ending_names[static_cast<std::size_t>(o.how)] << ": --scenario "
              << scenario << " --fault " << f.text() << (o.struck ? "" : " (not met)")
              << (o.detail.empty() ? "" : ": ") << o.detail << std::endl;
}

tally run_scenario(const std::string& name, const settings& s, double seconds)
{
    using clock = std::chrono::steady_clock;
    const auto start = clock::now();
    const auto passed = [&] {
        return std::chrono::duration<double>(clock::now() - start).count();
    };
    worker w(name, s.bound);
    auto faults = s.faults;
    const auto calls = w.calls();
    if (faults.empty())
        faults = all_faults(calls, s, find_scenario_kind(name).is_variation);
    if (seconds > 0)
        std::shuffle(faults.begin(), faults.end(), std::mt19937(1));
    tally t;
    t.of = faults.size();
    const bool progress = isatty(STDERR_FILENO);
    for (const auto& f : faults) {
        if (seconds > 0 && passed() > seconds)
            break;
        const auto o = w.run(f);
        ++t.count[static_cast<std::size_t>(o.how)];
        t.struck += o.struck;
        if (s.verbose || !is_good(o.how))
            tell(name, f, o);
        if (progress) {
            const std::lock_guard<std::mutex> lock(printing);
            std::cerr << '\r' << name << ": " << t.done() << " of " << t.of << "  \r";
        }
    }
    return t;
}

//! Runs the scenarios, s.jobs of them at once. One that fails without a fault ends the
//! run.
std::vector<tally> run_scenarios(const settings& s)
{
    const std::size_t count = s.scenarios.size(), jobs = std::min(s.jobs, count);
    const std::size_t in_turn = (count + jobs - 1) / jobs;
    const double seconds = s.seconds / static_cast<double>(in_turn);
    std::vector<tally> tallies(count);
    std::atomic<std::size_t> next{ 0 };
    const auto work = [&] {
        try {
            for (std::size_t i = next++; i < count; i = next++)
                tallies[i] = run_scenario(s.scenarios[i], s, seconds);
        } catch (...) {
            next = count;
            throw;
        }
    };
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < jobs; ++i)
        others.push_back(std::async(std::launch::async, work));
    work();
    for (auto& other : others)
        other.get();
    return tallies;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        if (argc == 3 && std::string(argv[1]) == "--worker")
            return serve(argv[2]);
        if (argc == 2 && std::string(argv[1]) == "--help") {
            std::cout << usage;
            return 0;
        }
        if (argc == 2 && std::string(argv[1]) == "--list") {
            for (const auto& kind : scenario_kinds())
                std::cout << kind.name << '\n';
            return 0;
        }
        const auto s = read_arguments(argc, argv);
        std::signal(SIGPIPE, SIG_IGN); // a worker may end before it has read its input
        // A refused release leaks the object.
        const char* options = std::getenv("ASAN_OPTIONS");
        setenv("ASAN_OPTIONS",
               (std::string(options ? options : "") + ":detect_leaks=0").c_str(),
               1);

        const auto tallies = run_scenarios(s);
        tally sum;
        print_head();
        for (std::size_t i = 0; i < tallies.size(); ++i) {
            print_row(s.scenarios[i], tallies[i]);
            sum.add(tallies[i]);
        }
        print_row("all", sum);
        return sum.good() ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << "inject_faults: " << e.what() << "\n" << usage;
        return 2;
    }
}
