/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>

#include <cstdlib>

namespace cldsp {

bool is_pocl(const std::string& platform_name)
{
    return platform_name.find("Portable Computing Language") != std::string::npos;
}

std::string pocl_cache_folder()
{
    if (const char* folder = std::getenv("POCL_CACHE_DIR"))
        return folder;
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0])
        return std::string(cache) + "/pocl";
    if (const char* home = std::getenv("HOME"))
        return std::string(home) + "/.cache/pocl";
    return "/tmp/pocl";
}

void run_compiler(const std::string& platform_name, const std::function<void()>& action)
{
    if (is_pocl(platform_name))
        run_locked(pocl_cache_folder() + "/.gr-cldsp-lock", action);
    else
        action();
}

} // namespace cldsp
