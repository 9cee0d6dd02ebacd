// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Where the OpenCL loader looks for drivers, and how it is shown some of them.

#pragma once

#include <cldsp/drivers.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A place where the loader looks for drivers, and the drivers found there.
struct icd_search {
    std::string place;  //!< the folder, file or library
    std::string set_by; //!< the variable that names the place; empty: it is the default
    std::string error;  //!< the reason why nothing can be read there; empty: no error
    std::vector<icd_entry> entries;
};

//! The places where a loader searches: those in the variables OCL_ICD_VENDORS,
//! OPENCL_VENDOR_PATH and OCL_ICD_FILENAMES, otherwise /etc/OpenCL/vendors.
//! \param ocl_icd whether it is the loader of the project ocl-icd; else it is Khronos's
std::vector<icd_search> search_icds(bool ocl_icd);

/*!
 * The name that the loader gives itself, e.g. "OpenCL ICD Loader 2.3.1 OCL Icd free
 * software"; empty if it gives none, as Khronos's does. It must be called in a process
 * that has no other thread and uses no driver: there will be none for it.
 */
std::string loader_name();
//! Whether a loader of this name is that of the project ocl-icd.
bool is_ocl_icd(const std::string& loader_name);

/*!
 * Variables with which the loaders, ocl-icd's and Khronos's, find some drivers alone. The
 * folder that they may name exists as long as this object.
 */
class shown_drivers
{
public:
    //! \throws std::system_error if no folder can be made
    explicit shown_drivers(const std::vector<icd_entry>& drivers);
    ~shown_drivers();
    shown_drivers(const shown_drivers&) = delete;
    shown_drivers& operator=(const shown_drivers&) = delete;

    //! Names and values; without a value the variable has to be unset.
    using variables = std::vector<std::pair<std::string, std::optional<std::string>>>;
    const variables& values() const { return d_values; }
    //! Sets the variables of this process.
    //! \return what they were
    static variables set(const variables& values);

private:
    std::string d_folder;
    variables d_values;
};

} // namespace cldsp
