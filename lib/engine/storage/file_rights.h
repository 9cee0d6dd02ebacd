/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <sys/types.h>

#include <string>

namespace cldsp {

/*!
 * Makes a folder, and those above it, for their owner alone.
 * \throws std::system_error if one of them cannot be made
 */
void make_private_folders(const std::string& folder);

/*!
 * Gives a new file to those who may use its folder.
 *
 * \param fd the file
 * \param path where the file will be
 * \param most the rights that it may get at most; its owner always reads and writes
 */
void take_rights_of_folder(int fd, const std::string& path, mode_t most);

/*!
 * Gives a new file the mode of the file that it is about to replace, and its owner and
 * group where the system allows that. Where there is none, the file gets those rights of
 * its folder that let nobody else write.
 *
 * \throws std::system_error if the present file is another user's and may not be written
 */
void take_rights_of_replaced(int fd, const std::string& path);

/*!
 * Why what a folder holds cannot be trusted as one's own: it belongs to another user than
 * this one or root, or others may write in it. Empty: it can, or is not there.
 *
 * A group may write in a folder of this user's own: some systems give each user a group
 * of his own.
 */
std::string why_not_trusted_folder(const std::string& folder);

//! Like why_not_trusted_folder(), for an open file. A file that its group may write is
//! not trusted either, even this user's own.
std::string why_not_trusted_file(int fd, const std::string& path);

} // namespace cldsp
