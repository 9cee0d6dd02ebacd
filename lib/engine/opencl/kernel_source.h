/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>
#include <vector>

namespace cldsp {

//! A kernel file that the build has put into the library. The last element of the array
//! has null pointers.
struct embedded_kernel {
    const char* name;
    const char* source;
};

extern const embedded_kernel embedded_kernels[];

/*!
 * The text of a kernel file.
 *
 * \param name the file's name without folder and extension, e.g. "freq_xlating_fir_gpu"
 * \param folder a folder in which `<name>.cl` or `ladder/<name>.cl` replaces the embedded
 * text; empty: the folder that the variable CLDSP_KERNEL_PATH names, if set. The file is
 * read at each call, so that a kernel can be edited while a program runs.
 * \throws std::invalid_argument if there is no such kernel; the message lists the known
 * kernels
 */
std::string kernel_source(const std::string& name, const std::string& folder = "");

//! The names of the embedded kernel files, in alphabetical order.
std::vector<std::string> kernel_names();

} // namespace cldsp
