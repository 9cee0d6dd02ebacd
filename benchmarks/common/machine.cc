// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads processor, memory, load and versions from the system.

#include "common/machine.h"

#include <volk/volk.h>
#include <volk/volk_prefs.h>

#include <nlohmann/json.hpp>

#include <limits.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace cldsp::bench {

namespace {

std::string processor_name()
{
    std::ifstream cpuinfo("/proc/cpuinfo");
    std::string found;
    for (std::string line; std::getline(cpuinfo, line);)
        for (const char* key : { "model name", "Model", "Hardware" })
            if (line.rfind(key, 0) == 0 && line.find(": ") != std::string::npos) {
                found = line.substr(line.find(": ") + 2);
                if (key == std::string("model name"))
                    return found;
            }
    return found.empty() ? "unknown" : found;
}

double memory_gib()
{
    return static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 30);
}

std::string system_name()
{
    utsname u{};
    if (uname(&u) != 0)
        return "unknown";
    return std::string(u.sysname) + " " + u.release + " " + u.machine;
}

std::string utc_now()
{
    const std::time_t now =
        std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
    return text.data();
}

//! The file in which `volk_profile` stored its choice; empty: VOLK makes its own choice.
std::string volk_profile()
{
    std::array<char, PATH_MAX> path{};
#if defined(VOLK_VERSION) && VOLK_VERSION >= 020300
    volk_get_config_path(path.data(), true);
#endif
    return path.data();
}

} // namespace

void refuse_generic_volk()
{
    if (std::getenv("VOLK_GENERIC"))
        throw std::runtime_error("VOLK_GENERIC is set, so that VOLK runs its slowest "
                                 "kernels; unset it before a comparison");
}

double load_average()
{
    double load = -1;
    return getloadavg(&load, 1) == 1 ? load : -1;
}

nlohmann::json describe_machine()
{
    return { { "date", utc_now() },
             { "processor", processor_name() },
             { "threads", std::thread::hardware_concurrency() },
             { "memory_gib", memory_gib() },
             { "system", system_name() },
             { "load_at_start", load_average() },
             { "compiler", __VERSION__ },
             { "volk_machine", volk_get_machine() },
             { "volk_profile", volk_profile() } };
}

nlohmann::json describe_device(const device_info& device)
{
    return { { "id", device.id() },
             { "name", device.name },
             { "kind", device_kind_name(device.kind) },
             { "platform", device.platform_name },
             { "vendor", device.vendor },
             { "version", device.version },
             { "driver", device.driver_version },
             { "compute_units", device.limits.compute_units },
             { "clock",
               device.is_host() || !device.limits.profiling ? "host" : "device" } };
}

std::string machine_text(const std::vector<device_info>& devices)
{
    std::ostringstream text;
    text << processor_name() << ", " << std::thread::hardware_concurrency()
         << " threads, " << system_name() << ", VOLK machine " << volk_get_machine()
         << ", load " << load_average() << "\n";
    for (const auto& device : devices)
        text << "  " << device.describe()
             << (device.is_host() || device.limits.profiling
                     ? ""
                     : "; kernels and copies are timed together, by the host's clock")
             << "\n";
    return text.str();
}

} // namespace cldsp::bench
