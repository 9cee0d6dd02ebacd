// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The findings of the doctor, and its checks.

#pragma once

#include <string>
#include <vector>

namespace cldsp::app {

//! One result of the doctor's checks.
struct finding {
    enum class level {
        fine,
        note,   //!< worth knowing; nothing is broken
        problem //!< something does not work
    };
    level how = level::fine;
    std::string topic;  //!< e.g. "driver"
    std::string cause;  //!< a word for programs, e.g. "no_icd_files"; empty where fine
    std::string text;   //!< the state that was found
    std::string advice; //!< the action that would help; may be empty
};
using findings = std::vector<finding>;

//! The devices that the OpenCL drivers offer, as seen by a separate process.
struct driver_report {
    findings found;
    std::size_t devices = 0; //!< devices that the engine can use
    std::size_t gpus = 0;    //!< the number of GPUs among these devices
};

//! Checks the loader, the .icd files, the platforms, and a kernel on every device.
driver_report check_drivers();

/*!
 * The names with which the variable RUSTICL_ENABLE turns on Mesa's drivers for the
 * graphics processors of this machine, such as "v3d"; none of them twice.
 *
 * \param root as in check_gpus()
 */
std::vector<std::string> rusticl_drivers(const std::string& root = "");

/*!
 * Checks the graphics processors that the system has, whether OpenCL shows them or not.
 *
 * \param opencl_gpus the number of GPUs that OpenCL shows
 * \param root a folder that is put before the paths /sys, /dev and /proc
 */
findings check_gpus(std::size_t opencl_gpus, const std::string& root = "");

//! Checks POCL_AFFINITY, the cache folder and the files in it, and CLDSP_KERNEL_PATH.
findings check_settings();

} // namespace cldsp::app
