/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/locked_file.h>

#include <boost/interprocess/sync/file_lock.hpp>
#include <boost/interprocess/sync/scoped_lock.hpp>
#include <boost/interprocess/sync/sharable_lock.hpp>

#include <system_error>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include <fcntl.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;
namespace ipc = boost::interprocess;

namespace {

[[noreturn]] void throw_errno(const std::string& what, const fs::path& path)
{
    throw std::system_error(
        errno, std::generic_category(), "cannot " + what + " " + path.string());
}

class file_descriptor
{
public:
    explicit file_descriptor(int fd) : d_fd(fd) {}
    ~file_descriptor() { close(); }
    file_descriptor(const file_descriptor&) = delete;
    file_descriptor& operator=(const file_descriptor&) = delete;
    int get() const { return d_fd; }
    bool close()
    {
        const int fd = d_fd;
        d_fd = -1;
        return fd < 0 || ::close(fd) == 0;
    }

private:
    int d_fd;
};

fs::path folder_of(const fs::path& path)
{
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

fs::path lock_path(const fs::path& path) { return folder_of(path) / ".lock"; }

// The system's record locks belong to a process: they do not keep out its other threads,
// and go when any of these closes the file. So a process needs one mutex for each lock
// file, and no smaller part of it could own that.
std::mutex& process_mutex(const fs::path& lock_file)
{
    static std::mutex mutex;
    static std::map<fs::path, std::unique_ptr<std::mutex>> mutexes;
    std::error_code ignored;
    const fs::path key = fs::weakly_canonical(lock_file, ignored);
    const std::lock_guard<std::mutex> guard(mutex);
    auto& entry = mutexes[key.empty() ? lock_file : key];
    if (!entry)
        entry = std::make_unique<std::mutex>();
    return *entry;
}

void make_folder(const fs::path& folder)
{
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        throw std::system_error(error, "cannot make the folder " + folder.string());
}

// Only with the mutex held: to close the file anywhere gives the process's lock up.
void make_lock_file(const fs::path& lock_file)
{
    const file_descriptor fd(
        ::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (fd.get() < 0)
        throw_errno("open", lock_file);
}

std::optional<std::string> read_file(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    if (file.bad())
        return std::nullopt;
    return bytes;
}

void write_all(int fd, const std::string& bytes, const fs::path& path)
{
    for (std::size_t done = 0; done < bytes.size();) {
        const auto n = ::write(fd, bytes.data() + done, bytes.size() - done);
        if (n >= 0)
            done += static_cast<std::size_t>(n);
        else if (errno != EINTR)
            throw_errno("write", path);
    }
}

void replace_file(const fs::path& path, const std::string& bytes)
{
    std::string temporary = path.string() + ".XXXXXX";
    file_descriptor fd(::mkostemp(temporary.data(), O_CLOEXEC));
    if (fd.get() < 0)
        throw_errno("make", temporary);
    try {
        write_all(fd.get(), bytes, temporary);
        // Without it, a power cut after the rename could leave an empty file.
        if (::fsync(fd.get()) != 0 || !fd.close())
            throw_errno("write", temporary);
        if (::rename(temporary.c_str(), path.c_str()) != 0)
            throw_errno("replace", path);
    } catch (...) {
        ::unlink(temporary.c_str());
        throw;
    }
    const file_descriptor folder(
        ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() >= 0)
        ::fsync(folder.get());
}

// Runs something while no other thread and no other process writes.
template <class Lock, class Action>
auto with_lock(const fs::path& lock_file, const Action& action)
{
    const std::lock_guard<std::mutex> guard(process_mutex(lock_file));
    make_lock_file(lock_file);
    try {
        ipc::file_lock file(lock_file.c_str());
        const Lock lock(file);
        return action();
    } catch (const ipc::interprocess_exception& e) {
        throw std::system_error(e.get_native_error(),
                                std::generic_category(),
                                "cannot lock " + lock_file.string());
    }
}

} // namespace

std::optional<std::string> read_locked(const std::string& path)
{
    try {
        const auto read = [&] { return read_file(path); };
        // A folder that nobody here may write to has no lock to take; the file is still
        // whole, because writers replace it.
        if (::access(lock_path(path).c_str(), R_OK | W_OK) != 0)
            return read();
        return with_lock<ipc::sharable_lock<ipc::file_lock>>(lock_path(path), read);
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void write_locked(const std::string& path, const std::string& bytes)
{
    update_locked(path, [&](const std::optional<std::string>&) { return bytes; });
}

void update_locked(
    const std::string& path,
    const std::function<std::string(const std::optional<std::string>&)>& change)
{
    make_folder(folder_of(path));
    with_lock<ipc::scoped_lock<ipc::file_lock>>(
        lock_path(path), [&] { replace_file(path, change(read_file(path))); });
}

void run_locked(const std::string& lock_file, const std::function<void()>& action)
{
    bool begun = false;
    try {
        make_folder(folder_of(lock_file));
        with_lock<ipc::scoped_lock<ipc::file_lock>>(lock_file, [&] {
            begun = true;
            action();
        });
    } catch (const std::system_error&) {
        if (begun)
            throw;
        action();
    }
}

} // namespace cldsp
