/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>

#include <atomic>
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
    //! A larger binary is not read from disk.
    std::size_t max_binary_bytes = std::size_t(64) << 20;
    //! What a driver that fails badly on a full disk must have free.
    std::uint64_t min_free_bytes = min_free_bytes_to_compile;
    //! Seconds; see lock_waiting. A compiler keeps its lock for longer than a writer
    //! does.
    double max_lock_seconds = lock_waiting::default_max_seconds;
    double max_compiler_seconds = 120;
};

/*!
 * The programs built for one device: in memory, and as binaries in a folder that other
 * processes share. Thread-safe.
 *
 * A binary is keyed by the source, the options, and the versions of the device, its
 * driver and its platform, and is checked before use; one that is damaged, foreign or
 * refused by the driver is built anew and replaced, and so is one over which the driver
 * has ended a process. Those that were used longest ago make room for new ones. A folder
 * or file in which other users may write is not used, for a binary runs in this process.
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

    /*!
     * Called before commands as well, for some drivers compile at the first one of a
     * kernel; looks at the disk a few times a second at most.
     * \throws opencl_error if the driver has no room to compile
     */
    void check_room();

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
    std::optional<cl::Program> load_binary(const std::string& path,
                                           const std::string& binary,
                                           const std::string& options);
    void save(const std::string& key, const cl::Program& program);
    void make_room();
    void check_room_now() const;
    void check_folder();
    template <class ACTION>
    void run_compiler(const ACTION& action) const;
    void log(log_level level, const std::string& text) const;

    cl::Context d_context;
    cl::Device d_device;
    std::string d_device_name, d_platform_name;
    std::string d_device_key; // what identifies the device and its driver
    std::string d_folder;
    bool d_can_save = true, d_told_of_saving = false;
    const std::string d_compiler_folder; // which must not fill up; empty: none
    logger d_log;
    const program_limits d_limits;
    const lock_waiting d_folder_waiting, d_compiler_waiting;
    std::atomic<std::int64_t> d_next_look{ 0 }; // at the disk, on the steady clock
    mutable std::mutex d_mutex;
    std::map<std::string, kept_program> d_programs;
    std::uint64_t d_uses = 0;
    std::size_t d_compiled = 0;
};

} // namespace cldsp
