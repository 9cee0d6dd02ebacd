// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The texts of the OpenCL kernels that the build has put into the library.

#pragma once

#include <string_view>
#include <string>
#include <vector>

namespace cldsp {

//! A file of kernels/ that the build has put into the library: a kernel, `<name>.cl`, or
//! text that kernels share, `<name>.clh`. The last element of the array has no name.
struct embedded_text {
    std::string_view file, text;
};

extern const embedded_text embedded_texts[];

/*!
 * The text of a kernel file, in which each line `#include "<name>.clh"` gives way to that
 * text, the first time that a kernel asks for it, and to nothing after that; so these
 * lines stand outside of any #if. Whatever is made from the text, such as the key of a
 * stored program, follows what is included.
 *
 * \param name the file's name without folder and extension, e.g. "freq_xlating_fir_gpu"
 * \param folder a folder in which `<name>.cl` or `ladder/<name>.cl` replaces the embedded
 *        text, and `<name>.clh` an included one; empty: the folder that the variable
 *        CLDSP_KERNEL_PATH names, if set. The files are read at each call, so that a
 *        kernel can be edited while a program runs
 *
 * \throws std::invalid_argument if there is no such kernel, or no such text that it
 *         includes; the message lists the known ones
 */
std::string kernel_source(const std::string& name, const std::string& folder = "");

//! A hash of the texts of all kernels, and of what they share, with the files of a folder
//! in place of embedded ones as kernel_source() has it: of whatever any kernel is made
//! from now.
std::string kernels_hash(const std::string& folder = "");

//! The names of the embedded kernel files, in alphabetical order.
std::vector<std::string> kernel_names();

} // namespace cldsp
