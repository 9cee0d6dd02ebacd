// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the loader for its name, and tries each library, in child processes.

#include "doctor/loader.h"

#include "isolated.h"
#include "opencl/icd_search.h"

#include <cldsp/context.h>

#include <dlfcn.h>

namespace cldsp::app {

loader used_loader()
{
    constexpr double seconds = 60;
    loader found{ "unknown", "" };
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&clGetPlatformIDs), &info) && info.dli_fname)
        found.file = info.dli_fname;
    const auto named = call_isolated([] { return loader_name(); }, seconds);
    if (named.answered())
        found.name = named.text;
    return found;
}

std::string load_problem(const std::string& library)
{
    constexpr double seconds = 30;
    const auto result = call_isolated(
        [&]() -> std::string {
            void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (!handle)
                return std::string("cannot be loaded: ") + dlerror();
            if (!dlsym(handle, "clGetExtensionFunctionAddress") &&
                !dlsym(handle, "clIcdGetPlatformIDsKHR"))
                return "is no OpenCL driver";
            return "";
        },
        seconds);
    return result.text;
}

} // namespace cldsp::app
