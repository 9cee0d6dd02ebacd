/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <string>
#include <vector>

namespace cldsp::app {

//! A driver as the OpenCL loader is told of it.
struct icd_entry {
    std::string file;    //!< the .icd file; empty: a variable names the library
    std::string library; //!< as the file names it; empty: the file cannot be used
    std::string error;   //!< why not
};

//! Where the loader looks for drivers, and what is there.
struct icd_search {
    std::string place;  //!< the folder, file or library
    std::string set_by; //!< the variable that says so; empty: the default
    std::string error;  //!< why nothing can be read there; empty: it can
    std::vector<icd_entry> entries;
};

//! As ocl-icd and the Khronos loader search: the variables OCL_ICD_VENDORS,
//! OPENCL_VENDOR_PATH and OCL_ICD_FILENAMES, else /etc/OpenCL/vendors.
std::vector<icd_search> search_icds();

//! The OpenCL loader that this program runs with: its file, and its name if it tells it.
std::string loader_text();

/*!
 * Loads a driver's library as the loader would, in a process of its own.
 * \returns why it cannot be used; empty: it can
 */
std::string load_problem(const std::string& library);

} // namespace cldsp::app
