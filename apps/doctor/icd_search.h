// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Where the OpenCL loader looks for drivers, and what it finds there.

#pragma once

#include <string>
#include <vector>

namespace cldsp::app {

//! A driver that the configuration names for the OpenCL loader.
struct icd_entry {
    std::string file;    //!< the .icd file; empty: a variable names the library
    std::string library; //!< the library that the file names; empty: the file cannot be
                         //!< used
    std::string error;   //!< the reason why the file cannot be used
};

//! A place where the loader looks for drivers, and the drivers found there.
struct icd_search {
    std::string place;  //!< the folder, file or library
    std::string set_by; //!< the variable that names the place; empty: it is the default
    std::string error;  //!< the reason why nothing can be read there; empty: no error
    std::vector<icd_entry> entries;
};

//! The places where ocl-icd and the Khronos loader search: those in the variables
//! OCL_ICD_VENDORS, OPENCL_VENDOR_PATH and OCL_ICD_FILENAMES, otherwise
//! /etc/OpenCL/vendors.
std::vector<icd_search> search_icds();

//! The OpenCL loader that this program runs with: its file, and its name if the loader
//! gives one.
std::string loader_text();

/*!
 * Loads a driver's library as the loader would, in a separate process.
 * \returns the reason why the library cannot be used; empty if it can be used
 */
std::string load_problem(const std::string& library);

} // namespace cldsp::app
