// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What is known of OpenCL's drivers, because they were tried in another process.

#pragma once

#include <cldsp/device.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

//! A driver that the configuration names for the OpenCL loader.
struct icd_entry {
    std::string file;    //!< the .icd file; empty: a variable names the library
    std::string library; //!< the library that the file names; empty: the file cannot be
                         //!< used
    std::string error;   //!< the reason why the file cannot be used

    //! The name of the file or of the library, without its folder.
    std::string name() const;
};

//! A driver that has failed, and is not loaded.
struct failed_driver {
    icd_entry icd;     //!< empty: it is not known which of the drivers it is
    std::string how;   //!< the end of a sentence, e.g. "aborts"
    std::string when;  //!< what it was asked for, e.g. "the platforms are listed"
    bool late = false; //!< it gave no answer in time

    //! "the driver of 'broken.icd' aborts".
    std::string text() const;
};

//! A device whose driver is good, but which cannot compute.
struct unusable_device {
    std::string device; //!< its name, e.g. "'GeForce'"
    std::string why;    //!< the end of a sentence; empty: the name is a sentence

    std::string text() const { return device + (why.empty() ? "" : " " + why); }
};

//! A file on which a verdict depends, as it was.
struct seen_file {
    std::string path;
    std::uint64_t size = 0;
    std::int64_t time = 0; //!< of its last change, in nanoseconds since 1970
};

//! What came of trying the drivers.
struct driver_verdict {
    //! The devices that have built and run a kernel, in the order of the loader.
    std::vector<device_info> devices;
    std::vector<unusable_device> unusable;
    std::vector<failed_driver> failed;
    //! The drivers that may be loaded; empty: all of them, or none if some have failed.
    std::vector<icd_entry> only;
    std::vector<seen_file> files; //!< the libraries of the drivers
    std::int64_t time = 0;        //!< seconds since 1970

    bool may_load() const { return failed.empty() || !only.empty(); }
    //! The verdict as JSON, and from JSON; nothing if the text is none.
    std::string text() const;
    static std::optional<driver_verdict> parse(const std::string& text);
};

//! What is known of the drivers of this process.
struct driver_proof {
    std::optional<driver_verdict> verdict;
    std::string why_not; //!< there is no verdict: why no other process could try them
};

//! Whether a verdict that is remembered counts.
enum class driver_trial {
    none,      //!< nothing is tried: only what is remembered counts
    if_needed, //!< the drivers are tried if there is no verdict
    anew       //!< the drivers are tried
};

/*!
 * The verdict on the drivers in the surroundings of this process: the .icd files, the
 * variables that drivers read, the processors, the limits of the process, the cache
 * folder and what is mounted there. It is remembered in this process, and in the cache
 * folder.
 *
 * One child process at a time tries them, for as many seconds as the variable
 * CLDSP_DRIVER_SECONDS says (30 if it is not set) without any progress of a driver. The
 * child ends with this process.
 *
 * \throws planning_stopped
 */
driver_proof prove_drivers(const device_listing& how, driver_trial trial);

//! The verdict that prove_drivers() gave last in this process.
std::optional<driver_verdict> latest_verdict();

//! The policy itself, or what the variable CLDSP_DRIVERS says instead of standard.
driver_policy policy_in_use(driver_policy policy);

} // namespace cldsp
