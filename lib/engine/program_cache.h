/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace cldsp {

//! What a program_cache keeps at most.
struct program_limits {
    std::uint64_t folder_bytes = std::uint64_t(256) << 20; //!< of binaries on disk
    std::size_t programs = 256;                            //!< in memory
};

/*!
 * The programs built for one device: in memory, and as binaries in a folder that other
 * processes share. Thread-safe.
 *
 * A binary is keyed by the source, the options, and the versions of the device, its
 * driver and its platform, and is checked before use; one that is damaged, foreign or
 * refused by the driver is built anew and replaced. Those that were used longest ago make
 * room for new ones.
 */
class program_cache
{
public:
    //! \param folder for the binaries; empty: programs are kept in memory only
    program_cache(cl::Context context,
                  cl::Device device,
                  const device_info& info,
                  std::string folder,
                  logger log,
                  const program_limits& limits = {});

    //! \throws opencl_error with the build log
    cl::Program get(const std::string& source, const std::string& options);

    //! How many programs were compiled from source.
    std::size_t compiled() const;
    //! What identifies a program: everything that its binary depends on.
    std::string key(const std::string& source, const std::string& options) const;
    //! Where the binary of a program is kept.
    std::string path(const std::string& source, const std::string& options) const;

    //! The user's cache folder; empty if the environment names none.
    static std::string default_folder();
    //! The cache folder that options name; empty: nothing is kept on disk.
    static std::string folder_of(const context_options& options);

private:
    struct kept_program {
        cl::Program program;
        std::uint64_t used = 0; // counts the uses of all programs
    };

    std::string path_of(const std::string& key) const;
    cl::Program compile(const std::string& source, const std::string& options);
    std::optional<cl::Program> load(const std::string& key, const std::string& options);
    void save(const std::string& key, const cl::Program& program);
    void make_room();
    void log(log_level level, const std::string& text) const;

    cl::Context d_context;
    cl::Device d_device;
    std::string d_device_name, d_platform_name;
    std::string d_device_key; // what identifies the device and its driver
    std::string d_folder;
    logger d_log;
    const program_limits d_limits;
    mutable std::mutex d_mutex;
    std::map<std::string, kept_program> d_programs;
    std::uint64_t d_uses = 0;
    std::size_t d_compiled = 0;
};

} // namespace cldsp
