// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Opens lock files, and takes their locks with a bounded wait that names the holder.

#include "storage/file_lock.h"

#include "storage/file_rights.h"

#include <system_error>
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

int change_record_lock([[maybe_unused]] int fd, [[maybe_unused]] short type)
{
#ifdef F_OFD_SETLK
    struct flock whole_file = {};
    whole_file.l_type = type;
    whole_file.l_whence = SEEK_SET;
    if (::fcntl(fd, F_OFD_SETLK, &whole_file) == 0)
        return 0;
    return errno == EACCES ? EWOULDBLOCK : errno;
#else
    return ENOSYS;
#endif
}

//! Whether an error means that the system, or the file system, has no locks of open file
//! descriptions.
bool has_no_record_locks(int error)
{
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK;
}

bool is_same_file(const struct stat& a, const struct stat& b)
{
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

file_descriptor open_lock_file(const std::string& path)
{
    constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    // Other processes may make and remove the file at the same time.
    for (int attempts = 0; attempts < 10; attempts++) {
        file_descriptor there(::open(path.c_str(), flags));
        if (there.get() >= 0)
            return there;
        if (errno != ENOENT)
            break;
        file_descriptor made(::open(path.c_str(), flags | O_CREAT | O_EXCL, 0600));
        if (made.get() >= 0) {
            // Everybody who may write in the folder must be able to take the lock.
            take_rights_of_folder(made.get(), path, 0666);
            return made;
        }
        if (errno != EEXIST)
            break;
    }
    throw std::system_error(
        errno, std::generic_category(), "cannot open the lock file " + path);
}

//! Whether a process holds a lock on this very file, as far as the system tells about the
//! process's open files.
bool process_holds(const fs::path& process, const struct stat& file)
{
    std::error_code error;
    for (fs::directory_iterator i(process / "fdinfo", error), end; !error && i != end;
         i.increment(error)) {
        struct stat open_file = {};
        const auto link = process / "fd" / i->path().filename();
        if (::stat(link.c_str(), &open_file) != 0 || !is_same_file(open_file, file))
            continue;
        std::ifstream info(i->path());
        for (std::string line; std::getline(info, line);)
            if (line.compare(0, 5, "lock:") == 0)
                return true;
    }
    return false;
}

std::string describe_process(const fs::path& process)
{
    std::string name;
    std::getline(std::ifstream(process / "comm"), name);
    std::string text = "process " + process.filename().string() + " (" + name + ")";
    std::ifstream status(process / "status");
    for (std::string line; std::getline(status, line);)
        if (line.compare(0, 6, "State:") == 0 &&
            line.find("stopped") != std::string::npos)
            text += ", which is stopped";
    return text;
}

} // namespace

bool file_descriptor::close()
{
    const int fd = std::exchange(d_fd, -1);
    return fd < 0 || ::close(fd) == 0;
}

int try_lock_file(int fd)
{
    const int error = change_record_lock(fd, F_WRLCK);
    if (!has_no_record_locks(error))
        return error;
    return ::flock(fd, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
}

void unlock_file(int fd)
{
    // Closing the file is not enough: a child that was forked meanwhile keeps it open,
    // and would keep the lock.
    change_record_lock(fd, F_UNLCK);
    ::flock(fd, LOCK_UN);
}

bool is_unlocked_file(const std::string& path)
{
    const file_descriptor file(
        ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status = {};
    return file.get() >= 0 && ::fstat(file.get(), &status) == 0 &&
           S_ISREG(status.st_mode) && try_lock_file(file.get()) == 0 &&
           ::fstat(file.get(), &status) == 0 && status.st_nlink > 0;
}

file_lock::file_lock(std::string path)
    : d_path(std::move(path)), d_file(open_lock_file(d_path))
{
}

file_lock::~file_lock()
{
    if (d_locked)
        unlock_file(d_file.get());
}

bool file_lock::try_lock()
{
    const int error = try_lock_file(d_file.get());
    if (error == EWOULDBLOCK || error == EINTR)
        return false;
    if (error != 0)
        throw std::system_error(error, std::generic_category(), "cannot lock " + d_path);
    d_locked = true;
    if (is_still_there())
        return true;
    // Somebody has removed the lock file, so that others lock a new one. The next attempt
    // locks that one too.
    unlock_file(d_file.get());
    d_locked = false;
    d_file = open_lock_file(d_path);
    return false;
}

bool file_lock::is_still_there() const
{
    struct stat opened = {}, named = {};
    return ::fstat(d_file.get(), &opened) == 0 && ::lstat(d_path.c_str(), &named) == 0 &&
           is_same_file(opened, named);
}

std::string file_lock::holder() const
{
    struct stat file = {};
    if (::fstat(d_file.get(), &file) != 0)
        return "another process";
    std::error_code error;
    for (fs::directory_iterator i("/proc", error), end; !error && i != end;
         i.increment(error)) {
        const std::string name = i->path().filename();
        const bool is_process = std::all_of(
            name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
        if (is_process && process_holds(i->path(), file))
            return describe_process(i->path());
    }
    return "another process";
}

} // namespace cldsp
