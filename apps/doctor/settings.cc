// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the folders that the engine writes, and the variables that change how it runs.

#include "base/processors.h"
#include "doctor/doctor.h"
#include "doctor/writable.h"
#include "environment.h"
#include "opencl/program_cache.h"

#include <cldsp/wisdom.h>

#include <system_error>
#include <filesystem>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;
using level = finding::level;

//! Whether this process may use exactly the processors 0 to n-1, and which it may use, as
//! a text such as "1, 3".
bool has_first_processors(std::string& usable)
{
    const auto allowed = processors_of_process(); // in ascending order
    for (const int each : allowed)
        usable += (usable.empty() ? "" : ", ") + std::to_string(each);
    return allowed.empty() || allowed.back() + 1 == static_cast<int>(allowed.size());
}

finding check_affinity()
{
    const auto value = variable("POCL_AFFINITY");
    if (!value || value->empty())
        return { level::fine,
                 "PoCL",
                 "",
                 "POCL_AFFINITY is not set: gr-cldsp binds each of PoCL's workers to a "
                 "processor of its own",
                 "" };
    std::string usable;
    if (*value == "1" && !has_first_processors(usable))
        return {
            level::problem,
            "PoCL",
            "pocl_affinity_elsewhere",
            "POCL_AFFINITY is 1, with which PoCL takes the processors from 0 on, but "
            "this process may use only " +
                usable + ": in a container PoCL then ends the process",
            "unset it; gr-cldsp binds PoCL's workers to the processors that there "
            "are"
        };
    if (*value == "1")
        return { level::fine,
                 "PoCL",
                 "",
                 "POCL_AFFINITY is 1: PoCL itself binds its workers to processors",
                 "" };
    return { level::problem,
             "PoCL",
             "pocl_affinity_off",
             "POCL_AFFINITY is '" + *value +
                 "': PoCL's workers may share a processor, at half the speed in short "
                 "calls",
             "unset it" };
}

finding check_cache_variable(const std::string& value)
{
    return { level::problem,
             "cache",
             "cache_home_relative",
             "XDG_CACHE_HOME is '" + value +
                 "', which is no absolute path: gr-cldsp ignores it, as the XDG "
                 "specification says, but PoCL makes a folder of that name wherever a "
                 "program runs",
             "let it begin with /, or unset it" };
}

finding check_cache(const std::string& folder)
{
    const std::string consequence = "compiled programs and measurements are not kept, so "
                                    "that every start compiles and measures anew";
    if (folder.empty())
        return { level::problem,
                 "cache",
                 "no_cache_folder",
                 "neither XDG_CACHE_HOME nor HOME names a folder: " + consequence,
                 "set one of them" };
    if (const std::string why = why_not_writable(folder); !why.empty())
        return { level::problem,
                 "cache",
                 "cache_not_writable",
                 "the cache folder " + folder + " cannot be written: " + why + "; " +
                     consequence,
                 "make it writable, or let XDG_CACHE_HOME name a folder that is" };
    return { level::fine, "cache", "", "the folder " + folder + " can be written", "" };
}

finding check_wisdom(const std::string& folder)
{
    std::string warning;
    wisdom kept(folder, [&](log_level, const std::string& text) { warning = text; });
    kept.find("", "");
    if (!warning.empty())
        return { level::problem,
                 "cache",
                 "wisdom_unusable",
                 warning,
                 "'cldsp wisdom clear' removes it" };
    return { level::fine, "cache", "", kept.path() + " can be read", "" };
}

finding check_kernel_path(const std::string& folder)
{
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored))
        return { level::problem,
                 "kernels",
                 "kernel_path_missing",
                 "CLDSP_KERNEL_PATH names '" + folder +
                     "', which is no folder: the built-in kernels are used",
                 "unset it, or let it name the folder of your kernels" };
    return { level::note,
             "kernels",
             "kernel_path",
             "CLDSP_KERNEL_PATH: kernels in " + folder + " replace the built-in ones",
             "" };
}

} // namespace

findings check_settings()
{
    const std::string folder = program_cache::default_folder();
    findings found = { check_affinity(), check_cache(folder) };
    if (const auto home = variable("XDG_CACHE_HOME");
        home && !home->empty() && home->front() != '/')
        found.push_back(check_cache_variable(*home));
    std::error_code ignored;
    if (!folder.empty() && fs::exists(folder + "/wisdom.json", ignored))
        found.push_back(check_wisdom(folder));
    if (const auto kernels = variable("CLDSP_KERNEL_PATH"); kernels && !kernels->empty())
        found.push_back(check_kernel_path(*kernels));
    return found;
}

} // namespace cldsp::app
