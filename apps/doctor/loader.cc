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

std::optional<std::size_t> platforms_of(const std::string& library)
{
    constexpr double seconds = 30;
    const auto count = [&]() -> std::string {
        using get_platforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
        using get_function = void*(CL_API_CALL*)(const char*);
        constexpr const char* name = "clIcdGetPlatformIDsKHR";
        void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!handle)
            return "";
        // Drivers export the function, or give it to who asks in this way.
        void* found = dlsym(handle, name);
        if (const auto get = reinterpret_cast<get_function>(
                dlsym(handle, "clGetExtensionFunctionAddress"));
            !found && get)
            found = get(name);
        if (!found)
            return "";
        cl_uint number = 0;
        const auto status = reinterpret_cast<get_platforms>(found)(0, nullptr, &number);
        return std::to_string(status == CL_SUCCESS ? number : 0);
    };
    const auto answer = call_isolated(count, seconds);
    if (!answer.answered() || answer.text.empty())
        return std::nullopt;
    return std::stoul(answer.text);
}

} // namespace cldsp::app
