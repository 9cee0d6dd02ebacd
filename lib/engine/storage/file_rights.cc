// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Sets modes and owners of new files, and checks who may write in a folder.

#include "storage/file_rights.h"

#include <system_error>
#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

constexpr mode_t permissions = 0777;
constexpr mode_t group_permissions = 0070;

//! Gives a file to a user and a group, or at least to the group, as far as is allowed.
//! \return whether the file belongs to that group now
bool give_away(int fd, uid_t owner, gid_t group)
{
    return ::fchown(fd, owner, group) == 0 ||
           ::fchown(fd, static_cast<uid_t>(-1), group) == 0;
}

bool is_foreign(uid_t owner) { return owner != ::geteuid() && owner != 0; }

std::string owner_text(uid_t owner)
{
    return "it belongs to the user number " + std::to_string(owner);
}

} // namespace

void make_private_folders(const std::string& folder)
{
    const fs::path path(folder);
    std::error_code ignored;
    if (path.empty() || fs::is_directory(path, ignored))
        return;
    if (path.has_parent_path() && path.parent_path() != path)
        make_private_folders(path.parent_path());
    if (::mkdir(path.c_str(), 0700) == 0)
        return;
    const int error = errno;
    if (!fs::is_directory(path, ignored)) // another process may have made it
        throw std::system_error(
            error, std::generic_category(), "cannot make the folder " + folder);
}

void take_rights_of_folder(int fd, const std::string& path, mode_t most)
{
    struct stat folder = {};
    const fs::path parent = fs::path(path).parent_path();
    if (::stat(parent.empty() ? "." : parent.c_str(), &folder) != 0)
        return;
    // A file that root makes in a user's folder would otherwise be out of that user's
    // reach.
    if (::geteuid() == 0)
        give_away(fd, folder.st_uid, folder.st_gid);
    ::fchmod(fd, (folder.st_mode & most) | 0600);
}

void take_rights_of_replaced(int fd, const std::string& path)
{
    struct stat old = {};
    if (::lstat(path.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) {
        take_rights_of_folder(fd, path, 0644);
        return;
    }
    if (old.st_uid != ::geteuid() &&
        ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
        throw std::system_error(
            errno, std::generic_category(), "may not replace " + path);
    mode_t mode = old.st_mode & permissions;
    // The group rights of the old file were meant for another group.
    if (!give_away(fd, old.st_uid, old.st_gid))
        mode &= ~group_permissions;
    if (::fchmod(fd, mode) != 0)
        throw std::system_error(
            errno, std::generic_category(), "cannot set the mode of " + path);
}

std::string why_not_trusted_folder(const std::string& folder)
{
    struct stat status = {};
    if (::stat(folder.c_str(), &status) != 0)
        return "";
    if (is_foreign(status.st_uid))
        return owner_text(status.st_uid);
    if (status.st_mode & S_IWOTH)
        return "every user may write in it";
    if ((status.st_mode & S_IWGRP) && status.st_uid != ::geteuid())
        return "other users may write in it";
    return "";
}

std::string why_not_trusted_file(int fd, const std::string& path)
{
    struct stat status = {};
    if (::fstat(fd, &status) != 0)
        return "cannot look at " + path;
    if (is_foreign(status.st_uid))
        return owner_text(status.st_uid);
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return "other users may write it";
    return "";
}

} // namespace cldsp
