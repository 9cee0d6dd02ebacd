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

//! One thing that the doctor has looked at.
struct finding {
    enum class level {
        fine,
        note,   //!< worth knowing; nothing is broken
        problem //!< something does not work
    };
    level how = level::fine;
    std::string topic;  //!< e.g. "driver"
    std::string cause;  //!< a word for programs, e.g. "no_icd_files"; empty where fine
    std::string text;   //!< what is so
    std::string advice; //!< what to do; may be empty
};
using findings = std::vector<finding>;

//! What the OpenCL drivers offer, as a process of its own saw it.
struct driver_report {
    findings found;
    std::size_t devices = 0; //!< that the engine can use
    std::size_t gpus = 0;    //!< of them
};

//! The loader, the .icd files, the platforms, and a kernel on every device.
driver_report check_drivers();

/*!
 * The graphics processors that the system has, whether OpenCL shows them or not.
 *
 * \param opencl_gpus that OpenCL shows
 * \param root put before /sys, /dev and /proc
 */
findings check_gpus(std::size_t opencl_gpus, const std::string& root = "");

//! POCL_AFFINITY, the cache folder and what lies in it, CLDSP_KERNEL_PATH.
findings check_settings();

} // namespace cldsp::app
