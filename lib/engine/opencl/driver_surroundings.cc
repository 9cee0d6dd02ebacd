// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the variables, limits, mounts and files on which drivers depend.

#include "opencl/driver_surroundings.h"

#include "base/forks.h"
#include "base/processors.h"
#include "base/text_stream.h"
#include "opencl/icd_search.h"
#include "storage/host_identity.h"

#include <cldsp/pocl.h>

#include <string_view>
#include <system_error>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <utility>

#include <dirent.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char** environ;

namespace cldsp {

namespace {

namespace fs = std::filesystem;

// The beginnings of the names of variables that loaders, drivers, their compilers and the
// dynamic linker read.
constexpr std::string_view variables_of_drivers[] = {
    "AMD_",      "CLVK_",    "CL_",     "CUDA_",     "GALLIUM_", "GLIBC_TUNABLES=",
    "GPU_",      "HOME=",    "HSA_",    "IGC_",      "INTEL_",   "LD_",
    "LIBGL_",    "LLVM_",    "LP_",     "MALI_",     "MALLOC_",  "MESA_",
    "NEO",       "NVIDIA",   "NV_",     "OCLGRIND_", "OCL_",     "OPENCL_",
    "PANFROST",  "POCL_",    "PVR_",    "RADEON_",   "RADV_",    "ROCM_",
    "ROCR_",     "RUSTICL_", "TMPDIR=", "V3D_",      "VK_",      "XDG_CACHE_HOME=",
    "XDG_DATA_", "ZE",
};

// Limits that have ended drivers, or kept them from compiling.
constexpr decltype(RLIMIT_AS) limits_of_process[] = { RLIMIT_AS,     RLIMIT_DATA,
                                                      RLIMIT_FSIZE,  RLIMIT_MEMLOCK,
                                                      RLIMIT_NOFILE, RLIMIT_NPROC,
                                                      RLIMIT_STACK };

void add_file(text_stream& text, const std::string& path)
{
    text << path;
    if (const auto seen = see_file(path))
        text << ' ' << seen->size << ' ' << seen->time;
    text << '\n';
}

void add_system(text_stream& text)
{
    struct utsname system = {};
    ::uname(&system);
    text << host_identity() << '\n'
         << system.release << ' ' << system.machine << '\n'
         << "user " << ::geteuid();
    std::array<gid_t, 256> groups;
    const int count = ::getgroups(static_cast<int>(groups.size()), groups.data());
    for (int i = 0; i < count; i++)
        text << ' ' << groups[static_cast<std::size_t>(i)];
    text << '\n';
    for (const char* place : { "/proc/self", "/sys/devices", "/dev/shm" })
        text << place << ' ' << (::access(place, R_OK) == 0) << '\n';
}

void add_variables(text_stream& text)
{
    std::vector<std::string_view> found;
    for (char** variable = environ; variable && *variable; ++variable) {
        const std::string_view one = *variable;
        if (std::any_of(std::begin(variables_of_drivers),
                        std::end(variables_of_drivers),
                        [&](std::string_view begin) {
                            return one.substr(0, begin.size()) == begin;
                        }))
            found.push_back(one);
    }
    std::sort(found.begin(), found.end());
    for (const auto& one : found)
        text << one << '\n';
}

void add_icds(text_stream& text)
{
    // Which loader it is can only be asked where no driver is to be loaded.
    for (const bool ocl_icd : { true, false })
        for (const auto& search : search_icds(ocl_icd))
            for (const auto& entry : search.entries) {
                add_file(text, entry.file);
                add_file(text, entry.library);
            }
}

// PoCL's compiler starts the first ld on the PATH.
void add_linker(text_stream& text)
{
    const char* path = std::getenv("PATH");
    const std::string_view folders = path ? path : "";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const auto end = std::min(folders.find(':', begin), folders.size());
        const std::string linker =
            std::string(folders.substr(begin, end - begin)) + "/ld";
        if (::access(linker.c_str(), X_OK) == 0)
            return add_file(text, linker);
        begin = end + 1;
    }
    text << "no ld\n";
}

void add_limits(text_stream& text)
{
    text << "processors";
    for (const int one : processors_of_process())
        text << ' ' << one;
    text << "\nlimits";
    for (const auto which : limits_of_process) {
        struct rlimit limit = {};
        if (::getrlimit(which, &limit) == 0)
            text << ' ' << limit.rlim_cur;
    }
    text << '\n';
}

void add_devices(text_stream& text)
{
    std::vector<std::string> names;
    if (DIR* const folder = ::opendir("/dev/dri")) {
        while (const dirent* entry = ::readdir(folder))
            names.push_back("/dev/dri/" + std::string(entry->d_name));
        ::closedir(folder);
    }
    for (const char* name :
         { "/dev/kfd", "/dev/nvidiactl", "/dev/nvidia0", "/dev/mali0" })
        names.push_back(name);
    std::sort(names.begin(), names.end());
    for (const auto& name : names)
        if (::access(name.c_str(), R_OK | W_OK) == 0)
            text << name << '\n';
}

// The folder may not exist yet: then its nearest parent tells.
void add_mount(text_stream& text, const std::string& folder)
{
    std::error_code ignored;
    fs::path there = fs::absolute(folder, ignored);
    struct stat status = {};
    while (::stat(there.c_str(), &status) != 0 && there.has_relative_path())
        there = there.parent_path();
    struct statvfs system = {};
    constexpr unsigned long flags = ST_RDONLY | ST_NOSUID | ST_NOEXEC | ST_NODEV;
    text << folder << " on " << status.st_dev;
    if (::statvfs(there.c_str(), &system) == 0)
        text << ' ' << (system.f_flag & flags);
    text << ' ' << (::access(there.c_str(), W_OK) == 0) << '\n';
}

} // namespace

std::string driver_surroundings(const std::string& cache_folder)
{
    text_stream variables;
    add_variables(variables);
    auto start = cache_folder + "\n" + variables.str();
    // Sixty filters that are made one after the other look at the files once.
    constexpr auto fresh = std::chrono::seconds(1);
    using clock = std::chrono::steady_clock;
    struct looked {
        std::mutex mutex;
        std::string start, text;
        clock::time_point time;
    };
    // It is never destroyed, because threads may outlive static objects.
    static looked& last = *new looked;
    const auto now = clock::now();
    {
        const fork_delay no_fork;
        const std::lock_guard<std::mutex> guard(last.mutex);
        if (last.start == start && now - last.time < fresh)
            return last.text;
    }
    text_stream text;
    add_system(text);
    text << variables.str();
    add_icds(text);
    add_linker(text);
    add_limits(text);
    add_devices(text);
    if (!cache_folder.empty())
        add_mount(text, cache_folder);
    const auto pocl = pocl_cache_folder();
    add_mount(text, pocl);
    text << "room "
         << why_not_safe_to_compile(pocl, min_free_bytes_to_compile, false).empty()
         << '\n';
    const auto found = text.str();
    auto kept = found;
    const fork_delay no_fork;
    const std::lock_guard<std::mutex> guard(last.mutex);
    last.start = std::move(start);
    last.text = std::move(kept);
    last.time = now;
    return found;
}

std::optional<seen_file> see_file(const std::string& path)
{
    struct stat status = {};
    if (path.empty() || ::stat(path.c_str(), &status) != 0)
        return std::nullopt;
    constexpr std::int64_t nanoseconds = 1000000000;
    return seen_file{ path,
                      static_cast<std::uint64_t>(status.st_size),
                      status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec };
}

bool are_unchanged(const std::vector<seen_file>& files)
{
    return std::all_of(files.begin(), files.end(), [](const seen_file& file) {
        const auto now = see_file(file.path);
        return now && now->size == file.size && now->time == file.time;
    });
}

std::vector<seen_file> loaded_libraries()
{
    std::vector<seen_file> files;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            if (info->dlpi_name && info->dlpi_name[0] == '/')
                if (auto seen = see_file(info->dlpi_name))
                    static_cast<std::vector<seen_file>*>(data)->push_back(*seen);
            return 0;
        },
        &files);
    return files;
}

} // namespace cldsp
