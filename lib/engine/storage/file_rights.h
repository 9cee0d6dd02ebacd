// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The rights of files and folders that several users may share, and which are trusted.

#pragma once

#include <sys/types.h>

#include <string>

namespace cldsp {

/*!
 * Makes a folder, and the missing folders above it, with access for their owner alone.
 *
 * \throws std::system_error if one of them cannot be made
 */
void make_private_folders(const std::string& folder);

/*!
 * Gives a new file such rights that everybody who may use its folder may use the file.
 *
 * \param fd the file
 * \param path where the file will be
 * \param most the most rights that the file may get; its owner can always read and write
 */
void take_rights_of_folder(int fd, const std::string& path, mode_t most);

/*!
 * Gives a new file the mode of the file that it is about to replace, and its owner and
 * group where the system allows that. If no such file exists, the new file gets the
 * rights of its folder, except that nobody but its owner may write.
 *
 * \throws std::system_error if the present file is another user's and may not be written
 */
void take_rights_of_replaced(int fd, const std::string& path);

/*!
 * The reason why a folder's content cannot be trusted: the folder belongs to a user other
 * than this one or root, or others may write in it. Empty if the content can be trusted,
 * or if there is no such folder.
 *
 * A folder of this user is trusted even if its group may write in it, because some
 * systems give each user a group of his own.
 */
std::string why_not_trusted_folder(const std::string& folder);

//! Like why_not_trusted_folder(), for an open file. A file that its group may write is
//! not trusted either, even this user's own.
std::string why_not_trusted_file(int fd, const std::string& path);

} // namespace cldsp
