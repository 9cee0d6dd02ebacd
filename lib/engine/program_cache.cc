/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "program_cache.h"

#include "program_file.h"

#include <cldsp/errors.h>
#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>
#include <cldsp/program_folder.h>

#include <system_error>
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

namespace cldsp {

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
      d_log(std::move(log)),
      d_limits(limits)
{
    const cl::Platform platform(d_device.getInfo<CL_DEVICE_PLATFORM>());
    d_device_key += platform.getInfo<CL_PLATFORM_VERSION>() + '\n';
}

cl::Program program_cache::get(const std::string& source, const std::string& options)
{
    const std::string full_key = key(source, options);
    // Held while compiling: two blocks that want one program compile it once.
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto known = d_programs.find(full_key);
    if (known != d_programs.end()) {
        known->second.used = ++d_uses;
        return known->second.program;
    }
    auto program = load(full_key, options);
    if (!program) {
        program = compile(source, options);
        save(full_key, *program);
    }
    make_room();
    d_programs[full_key] = { *program, ++d_uses };
    return *program;
}

// Whoever uses a program that goes here holds it on.
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
                                const std::string& options) const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return path_of(key(source, options));
}

std::string program_cache::default_folder()
{
    // The XDG specification has a relative path ignored.
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

std::string program_cache::key(const std::string& source,
                               const std::string& options) const
{
    return d_device_key + options + '\n' + source;
}

std::string program_cache::path_of(const std::string& key) const
{
    return program_path(d_folder, hash_text(key));
}

cl::Program program_cache::compile(const std::string& source, const std::string& options)
{
    cl::Program program;
    try {
        program = cl::Program(d_context, source, false);
        run_compiler(d_platform_name,
                     [&] { program.build({ d_device }, options.c_str()); });
    } catch (const cl::BuildError& e) {
        std::string text = "options '" + options + "', build log:\n";
        for (const auto& entry : e.getBuildLog())
            text += entry.second;
        throw opencl_error(e.what(), e.err(), d_device_name, text);
    } catch (const cl::Error& e) {
        throw opencl_error(e.what(), e.err(), d_device_name, "options '" + options + "'");
    }
    d_compiled++;
    return program;
}

std::optional<cl::Program> program_cache::load(const std::string& key,
                                               const std::string& options)
{
    if (d_folder.empty())
        return std::nullopt;
    const auto bytes = read_locked(path_of(key));
    if (!bytes)
        return std::nullopt;
    std::string reason;
    const auto binary = unpack_program_file(*bytes, key, reason);
    if (binary) {
        try {
            const cl::Program::Binaries binaries{ { binary->begin(), binary->end() } };
            cl::Program program;
            // PoCL unpacks them into its cache before they are built.
            run_compiler(d_platform_name, [&] {
                program = cl::Program(d_context, { d_device }, binaries);
                program.build({ d_device }, options.c_str());
            });
            mark_program_used(path_of(key));
            log(log_level::debug, "program loaded from " + path_of(key));
            return program;
        } catch (const cl::Error& e) {
            reason = "the driver refuses it with " + opencl_error_name(e.err());
        }
    }
    log(log_level::info,
        "the program binary " + path_of(key) + " is built anew: " + reason);
    return std::nullopt;
}

void program_cache::save(const std::string& key, const cl::Program& program)
{
    if (d_folder.empty())
        return;
    try {
        std::vector<std::vector<unsigned char>> binaries;
        // PoCL reads them from the files of its cache.
        run_compiler(d_platform_name,
                     [&] { binaries = program.getInfo<CL_PROGRAM_BINARIES>(); });
        if (binaries.empty() || binaries[0].empty())
            return; // a driver without binaries
        const std::string binary(binaries[0].begin(), binaries[0].end());
        write_locked(path_of(key), pack_program_file(key, binary));
        remove_programs(d_folder, d_limits.folder_bytes);
    } catch (const cl::Error& e) {
        log(log_level::debug,
            "the driver gives no program binary: " + std::string(e.what()));
    } catch (const std::system_error& e) {
        log(log_level::warning,
            "compiled programs are not kept for the next start: " +
                std::string(e.what()));
        d_folder.clear(); // told once
    }
}

void program_cache::log(log_level level, const std::string& text) const
{
    log_to(d_log, level, text);
}

} // namespace cldsp
