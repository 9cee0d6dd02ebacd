// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the processor set and the control groups of the process.

#include "base/processors.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <unistd.h>
#endif

namespace cldsp {

namespace {

//! The lower of two limits, of which 0 is none.
double lower(double a, double b) { return a > 0 && b > 0 ? std::min(a, b) : a + b; }

//! A quota and its period, which a folder of a control group has in one file or in two.
double quota_of(const std::string& folder)
{
    double quota = 0, period = 0;
    std::ifstream both(folder + "/cpu.max"); // "max 100000" is no limit
    if (!(both >> quota >> period)) {
        std::ifstream its_quota(folder + "/cpu.cfs_quota_us"); // -1 is no limit
        std::ifstream its_period(folder + "/cpu.cfs_period_us");
        if (!(its_quota >> quota) || !(its_period >> period))
            return 0;
    }
    return quota > 0 && period > 0 ? quota / period : 0;
}

//! The lowest limit of a group and of those that it belongs to.
double quota_of_group(const std::string& root, std::string group)
{
    double least = quota_of(root);
    while (group.size() > 1) {
        least = lower(least, quota_of(root + group));
        group.erase(group.rfind('/'));
    }
    return least;
}

bool names_processors(const std::string& controllers)
{
    std::istringstream all(controllers);
    for (std::string one; std::getline(all, one, ',');)
        if (one == "cpu")
            return true;
    return false;
}

} // namespace

double processors_of_quota(const std::string& proc, const std::string& sys)
{
    double least = 0;
    std::ifstream groups(proc + "/self/cgroup");
    // Lines such as "0::/user.slice" and "4:cpu,cpuacct:/docker/1f".
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos ||
            line.compare(second + 1, 1, "/") != 0)
            continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        const auto group = line.substr(second + 1);
        if (controllers.empty())
            least = lower(least, quota_of_group(sys + "/fs/cgroup", group));
        else if (names_processors(controllers))
            for (const auto& folder : { controllers, std::string("cpu") })
                least = lower(least, quota_of_group(sys + "/fs/cgroup/" + folder, group));
    }
    return least;
}

std::vector<int> processors_of_process()
{
    std::vector<int> all;
#ifdef __linux__
    cpu_set_t usable;
    CPU_ZERO(&usable);
    if (::sched_getaffinity(::getpid(), sizeof(usable), &usable) == 0)
        for (int i = 0; i < CPU_SETSIZE; i++)
            if (CPU_ISSET(i, &usable))
                all.push_back(i);
#endif
    return all;
}

unsigned usable_processors()
{
    // The standard library's number is that of the machine, or that of the calling
    // thread's processors, with one C library or another.
    const auto its = processors_of_process();
    const auto count = its.empty() ? std::thread::hardware_concurrency()
                                   : static_cast<unsigned>(its.size());
    static const double quota = processors_of_quota();
    const double limit = quota > 0 ? std::ceil(quota) : count;
    return std::max(1U, static_cast<unsigned>(std::min<double>(count, limit)));
}

} // namespace cldsp
