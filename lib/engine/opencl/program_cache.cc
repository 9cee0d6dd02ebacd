// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Builds programs, or loads stored binaries and replaces those that fail.

#include "opencl/program_cache.h"

#include "base/hash.h"
#include "opencl/ptx.h"
#include "storage/file_rights.h"
#include "storage/program_store.h"

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>
#include <cldsp/program_store.h>

#include <string_view>
#include <system_error>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

namespace cldsp {

namespace {

// Whether an error of read_file() means that the file itself is bad. Other errors, such
// as too many open files, are temporary.
bool is_of_the_file(const std::error_code& code)
{
    return code == std::errc::file_too_large || code == std::errc::invalid_argument ||
           code == std::errc::permission_denied;
}

bool is_of_the_moment(const cl::Error& e)
{
    return e.err() == CL_OUT_OF_RESOURCES || e.err() == CL_OUT_OF_HOST_MEMORY ||
           e.err() == CL_MEM_OBJECT_ALLOCATION_FAILURE;
}

} // namespace

program_cache::program_cache(cl::Context context,
                             cl::Device device,
                             const device_info& info,
                             std::string folder,
                             logger log,
                             const program_limits& limits)
    : d_context(std::move(context)),
      d_device(std::move(device)),
      d_device_name(info.name),
      d_platform_name(info.platform_name),
      d_device_key(info.name + '\n' + info.vendor + '\n' + info.version + '\n' +
                   info.driver_version + '\n' + info.platform_name + '\n'),
      d_folder(std::move(folder)),
      d_compiler_folder(is_pocl(d_platform_name) ? pocl_cache_folder() : ""),
      d_starts_linker(pocl_starts_linker(info.driver_version)),
      d_log(std::move(log)),
      d_limits(limits),
      d_folder_waiting(d_log,
                       limits.max_lock_seconds,
                       lock_waiting::default_told_seconds,
                       limits.owner),
      d_compiler_waiting(d_log, limits.max_compiler_seconds)
{
    const cl::Platform platform(d_device.getInfo<CL_DEVICE_PLATFORM>());
    d_device_key += platform.getInfo<CL_PLATFORM_VERSION>() + '\n';
}

cl::Program program_cache::get(const std::string& source,
                               const std::string& options,
                               const std::string& architecture)
{
    const std::string full_key = key(source, options, architecture);
    // The mutex is held while compiling, so that two blocks that want the same program
    // compile it once.
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto known = d_programs.find(full_key);
    if (known != d_programs.end()) {
        known->second.used = ++d_uses;
        return known->second.program;
    }
    check_room_now();
    check_folder();
    auto program = load(full_key, options);
    if (!program) {
        program = compile(full_key, source, options);
        if (!architecture.empty())
            program = translate(*program, full_key, options, architecture);
        save(full_key, *program);
    }
    make_room();
    d_programs[full_key] = { *program, ++d_uses };
    return *program;
}

void program_cache::check_room()
{
    constexpr std::chrono::steady_clock::duration between_looks =
        std::chrono::milliseconds(100);
    const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
    if (now < d_next_look)
        return;
    d_next_look = now + between_looks.count();
    check_room_now();
}

void program_cache::check_room_now() const
{
    if (d_compiler_folder.empty())
        return;
    const auto why = why_not_safe_to_compile(
        d_compiler_folder, d_limits.min_free_bytes, d_starts_linker);
    if (!why.empty())
        throw opencl_error("clBuildProgram", CL_OUT_OF_RESOURCES, d_device_name, why);
}

// A binary that another user has put into the folder would run with this user's rights.
void program_cache::check_folder()
{
    if (d_folder.empty())
        return;
    const auto why = why_not_trusted_folder(d_folder);
    if (why.empty())
        return;
    log(log_level::warning,
        "compiled programs are neither read from " + d_folder +
            " nor kept there: " + why);
    d_folder.clear(); // so that the warning comes only once
}

template <class ACTION>
void program_cache::run_compiler(const std::string& key, const ACTION& action) const
{
    cldsp::run_compiler(d_platform_name, key, action, d_compiler_waiting);
}

// A program that is dropped here stays valid for its users, who hold a reference.
void program_cache::make_room()
{
    while (!d_programs.empty() && d_programs.size() >= d_limits.programs)
        d_programs.erase(std::min_element(
            d_programs.begin(), d_programs.end(), [](const auto& a, const auto& b) {
                return a.second.used < b.second.used;
            }));
}

std::size_t program_cache::compiled() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_compiled;
}

std::string program_cache::path(const std::string& source,
                                const std::string& options,
                                const std::string& architecture) const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return path_of(key(source, options, architecture));
}

std::string program_cache::default_folder()
{
    // The XDG specification says that a relative path is to be ignored.
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache && cache[0] == '/')
        return std::string(cache) + "/gr-cldsp";
    const char* home = std::getenv("HOME");
    if (home && home[0] == '/')
        return std::string(home) + "/.cache/gr-cldsp";
    return "";
}

std::string program_cache::folder_of(const context_options& options)
{
    if (!options.disk_cache)
        return "";
    return options.cache_folder.empty() ? default_folder() : options.cache_folder;
}

std::string program_cache::program_folder(const context_options& options)
{
    const char* stored = std::getenv("CLDSP_STORE_PROGRAMS");
    return stored && std::string_view(stored) == "0" ? "" : folder_of(options);
}

std::string program_cache::key(const std::string& source,
                               const std::string& options,
                               const std::string& architecture) const
{
    return d_device_key + (architecture.empty() ? "" : architecture + '\n') + options +
           '\n' + source;
}

std::string program_cache::path_of(const std::string& key) const
{
    return program_path(d_folder, hash_text(key));
}

cl::Program program_cache::compile(const std::string& key,
                                   const std::string& source,
                                   const std::string& options)
{
    // A compiler that finds something to warn of prints the number of its warnings on the
    // standard error of the process, as that of PoCL does: "15 warnings generated."
    const std::string quiet_options = options + " -w";
    cl::Program program;
    try {
        program = cl::Program(d_context, source, false);
        run_compiler(key, [&] { program.build({ d_device }, quiet_options.c_str()); });
    } catch (const cl::BuildError& e) {
        std::string text = "options '" + quiet_options + "', build log:\n";
        for (const auto& entry : e.getBuildLog())
            text += entry.second;
        throw opencl_error(e.what(), e.err(), d_device_name, text);
    } catch (const cl::Error& e) {
        throw opencl_error(
            e.what(), e.err(), d_device_name, "options '" + quiet_options + "'");
    }
    d_compiled++;
    return program;
}

// The same program for another architecture.
cl::Program program_cache::translate(const cl::Program& program,
                                     const std::string& key,
                                     const std::string& options,
                                     const std::string& architecture)
{
    const auto refused = [&](const char* call, cl_int status, const std::string& why) {
        return opencl_error(call,
                            status,
                            d_device_name,
                            "options '" + options + "' for " + architecture + why);
    };
    try {
        const auto binaries = program.getInfo<CL_PROGRAM_BINARIES>();
        const std::string ptx =
            binaries.empty()
                ? ""
                : ptx_for({ binaries[0].begin(), binaries[0].end() }, architecture);
        if (ptx.empty())
            throw refused("clGetProgramInfo",
                          CL_INVALID_BINARY,
                          ": the program's binary is no PTX for this device");
        const cl::Program::Binaries translated{ { ptx.begin(), ptx.end() } };
        cl::Program result(d_context, { d_device }, translated);
        run_compiler(key, [&] { result.build({ d_device }, options.c_str()); });
        return result;
    } catch (const cl::BuildError& e) {
        std::string text = ", build log:\n";
        for (const auto& entry : e.getBuildLog())
            text += entry.second;
        throw refused(e.what(), e.err(), text);
    } catch (const cl::Error& e) {
        throw refused(e.what(), e.err(), "");
    }
}

std::optional<cl::Program> program_cache::load(const std::string& key,
                                               const std::string& options)
{
    if (d_folder.empty())
        return std::nullopt;
    const std::string path = path_of(key);
    std::string reason;
    bool is_bad = true;
    try {
        const auto bytes =
            read_file(path, d_limits.max_binary_bytes, file_writer::trusted);
        if (!bytes)
            return std::nullopt;
        const auto binary = unpack_program_file(*bytes, key, reason);
        if (binary) {
            auto program = load_binary(key, path, *binary, options);
            if (program) {
                mark_program_used(path);
                log(log_level::debug, "program loaded from " + path);
                return program;
            }
            reason = "a process ended while the driver loaded it";
        }
    } catch (const cl::Error& e) {
        reason = "the driver refuses it with " + opencl_error_name(e.err());
        is_bad = !is_of_the_moment(e);
    } catch (const std::system_error& e) {
        reason = e.what();
        is_bad = is_of_the_file(e.code());
    }
    // A bad file is removed, so that the new one does not take over its owner and mode.
    std::error_code ignored;
    if (is_bad)
        std::filesystem::remove(path, ignored);
    log(log_level::debug, "the program binary " + path + " is built anew: " + reason);
    return std::nullopt;
}

// Loads a binary; empty: an earlier process ended while the driver loaded it.
std::optional<cl::Program> program_cache::load_binary(const std::string& key,
                                                      const std::string& path,
                                                      const std::string& binary,
                                                      const std::string& options)
{
    const cl::Program::Binaries binaries{ { binary.begin(), binary.end() } };
    std::optional<cl::Program> program;
    // PoCL unpacks binaries into its cache before they are built.
    run_compiler(key, [&] {
        const loading_mark mark(path);
        if (mark.was_left_behind())
            return;
        program = cl::Program(d_context, { d_device }, binaries);
        program->build({ d_device }, options.c_str());
    });
    return program;
}

void program_cache::save(const std::string& key, const cl::Program& program)
{
    if (d_folder.empty() || !d_can_save)
        return;
    try {
        check_room_now();
        std::vector<std::vector<unsigned char>> binaries;
        // PoCL compiles all kernels in this call, and reads them from its cache.
        run_compiler(key, [&] { binaries = program.getInfo<CL_PROGRAM_BINARIES>(); });
        if (binaries.empty() || binaries[0].empty())
            return; // a driver without binaries
        const std::string binary(binaries[0].begin(), binaries[0].end());
        write_locked(path_of(key), pack_program_file(key, binary), d_folder_waiting);
        remove_programs(d_folder, d_limits.folder_bytes, d_folder_waiting);
    } catch (const opencl_error& e) {
        log(log_level::debug,
            "the program's binary is not kept: " + std::string(e.what()));
    } catch (const cl::Error& e) {
        log(log_level::debug,
            "the driver gives no program binary: " + std::string(e.what()));
    } catch (const std::system_error& e) {
        // A full disk may have room again for the next program, but missing rights are
        // permanent.
        d_can_save = e.code() != std::errc::read_only_file_system &&
                     e.code() != std::errc::permission_denied &&
                     e.code() != std::errc::operation_not_permitted;
        log(d_told_of_saving ? log_level::debug : log_level::warning,
            std::string(d_can_save ? "a compiled program is" : "compiled programs are") +
                " not kept for the next start: " + e.what());
        d_told_of_saving = true;
    }
}

void program_cache::log(log_level level, const std::string& text) const
{
    log_to(d_log, level, text);
}

} // namespace cldsp
