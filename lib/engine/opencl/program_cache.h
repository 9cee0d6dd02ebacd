// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The programs built for a device, in memory and in files that processes share.

#pragma once

#include <cldsp/context.h>
#include <cldsp/locked_file.h>
#include <cldsp/pocl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace cldsp {

//! The limits of a program_cache.
struct program_limits {
    std::uint64_t folder_bytes = std::uint64_t(256) << 20; //!< all binaries on disk
    std::size_t programs = 256; //!< number of programs in memory
    //! The size of the largest binary that is read from disk.
    std::size_t max_binary_bytes = std::size_t(64) << 20;
    //! The free disk space that PoCL must have to compile; see why_not_safe_to_compile().
    std::uint64_t min_free_bytes = min_free_bytes_to_compile;
    //! The times in seconds to wait for a lock, see lock_waiting. A compiler keeps its
    //! lock for longer than a writer does.
    double max_lock_seconds = lock_waiting::default_max_seconds;
    double max_compiler_seconds = 120;
    std::shared_ptr<owner_gate> owner; //!< of the folder, see lock_waiting
};

/*!
 * The programs built for one device: in memory, and as binaries in a folder that other
 * processes share. Thread-safe.
 *
 * The key of a binary consists of the source, the options, and the versions of the
 * device, its driver and its platform. A binary is checked before use. It is built anew
 * and replaced if it is damaged, belongs to another key or is refused by the driver, or
 * if the driver once ended a process while loading it. The least recently used binaries
 * make room for new ones. A folder or file in which other users may write is not used,
 * because a binary runs in this process.
 */
class program_cache
{
public:
    //! \param folder the folder of the binaries; empty: programs are kept in memory only
    program_cache(cl::Context context,
                  cl::Device device,
                  const device_info& info,
                  std::string folder,
                  logger log,
                  const program_limits& limits = {});

    //! The program of a source text, from memory, from disk, or compiled.
    //! \param architecture that of the GPU, if not the one that the driver compiles for;
    //!        see ptx_for()
    //! \throws opencl_error with the build log
    cl::Program get(const std::string& source,
                    const std::string& options,
                    const std::string& architecture = "");

    /*!
     * Checks that the driver has enough disk space to compile. It is called before each
     * command, because some drivers compile a kernel at its first command. It looks at
     * the disk at most ten times a second.
     *
     * \throws opencl_error if the space is too small
     */
    void check_room();

    //! The number of programs that were compiled from source.
    std::size_t compiled() const;
    //! The key of a program: everything on which its binary depends.
    std::string key(const std::string& source,
                    const std::string& options,
                    const std::string& architecture = "") const;
    //! The path of the binary of a program.
    std::string path(const std::string& source,
                     const std::string& options,
                     const std::string& architecture = "") const;

    //! The user's cache folder; empty if the environment names none.
    static std::string default_folder();
    //! The cache folder that options name; empty: nothing is kept on disk.
    static std::string folder_of(const context_options& options);
    //! The folder of program binaries; also empty if CLDSP_STORE_PROGRAMS is 0.
    static std::string program_folder(const context_options& options);

private:
    struct kept_program {
        cl::Program program;
        std::uint64_t used = 0; // d_uses at the last use of this program
    };

    std::string path_of(const std::string& key) const;
    cl::Program compile(const std::string& key,
                        const std::string& source,
                        const std::string& options);
    cl::Program translate(const cl::Program& program,
                          const std::string& key,
                          const std::string& options,
                          const std::string& architecture);
    std::optional<cl::Program> load(const std::string& key, const std::string& options);
    std::optional<cl::Program> load_binary(const std::string& key,
                                           const std::string& path,
                                           const std::string& binary,
                                           const std::string& options);
    void save(const std::string& key, const cl::Program& program);
    void make_room();
    void check_room_now() const;
    void check_folder();
    template <class ACTION>
    void run_compiler(const std::string& key, const ACTION& action) const;
    void log(log_level level, const std::string& text) const;

    cl::Context d_context;
    cl::Device d_device;
    std::string d_device_name, d_platform_name;
    std::string d_device_key; // identifies the device and its driver
    std::string d_folder;
    bool d_can_save = true, d_told_of_saving = false;
    const std::string d_compiler_folder; // must have free space; empty: no such folder
    const bool d_starts_linker;          // when it compiles
    logger d_log;
    const program_limits d_limits;
    const lock_waiting d_folder_waiting, d_compiler_waiting;
    std::atomic<std::int64_t> d_next_look{ 0 }; // time of the next look at the disk
    mutable std::mutex d_mutex;
    std::map<std::string, kept_program> d_programs;
    std::uint64_t d_uses = 0;
    std::size_t d_compiled = 0;
};

} // namespace cldsp
