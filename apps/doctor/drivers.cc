// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that OpenCL's drivers load, list devices, and run a kernel rightly.

#include "doctor/doctor.h"
#include "doctor/loader.h"
#include "doctor/writable.h"
#include "driver_trial.h"
#include "environment.h"
#include "isolated.h"
#include "opencl/icd_search.h"
#include "opencl/rusticl.h"

#include <cldsp/context.h>
#include <cldsp/drivers.h>
#include <cldsp/errors.h>
#include <cldsp/opencl_platforms.h>
#include <cldsp/pocl.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::json;
using level = finding::level;

constexpr double list_seconds = 60;

const std::string install_a_driver =
    "install the driver of your device: pocl-opencl-icd for the processor, "
    "mesa-opencl-icd, intel-opencl-icd or nvidia-opencl-icd for a GPU";

//! A driver that is named among those that have failed in their trial.
bool is_among(const std::vector<failed_driver>& failed, const icd_entry& entry)
{
    return std::any_of(failed.begin(), failed.end(), [&](const failed_driver& one) {
        return one.icd.file == entry.file && one.icd.library == entry.library;
    });
}

finding driver_without_platform(const std::string& who, const icd_entry& entry)
{
    return { level::note,
             "driver",
             "driver_without_platform",
             who + " names " + entry.library +
                 ", which loads but offers no platform: it finds no hardware that it can "
                 "use",
             "after an update of this driver start the machine anew; else see that its "
             "hardware and its kernel driver are there, or remove what names it" };
}

/*!
 * Checks the .icd files and whether each library loads.
 *
 * \param failed drivers of which another finding tells
 * \param platforms the number that all drivers together offer; if it is too small, those
 * without one are looked for
 * \param loadable becomes the number of libraries that load
 */
findings check_icds(const std::vector<icd_search>& searches,
                    const std::vector<failed_driver>& failed,
                    std::size_t platforms,
                    std::size_t& loadable)
{
    findings found;
    std::size_t listed = 0, expected = 0;
    for (const auto& search : searches)
        for (const auto& entry : search.entries)
            expected += entry.error.empty() && !is_among(failed, entry);
    bool are_usual = true;
    std::string places;
    for (const auto& search : searches) {
        are_usual = are_usual && search.set_by.empty();
        const std::string place =
            search.place +
            (search.set_by.empty() ? "" : " (the variable " + search.set_by + ")");
        places += (places.empty() ? "" : " and ") + place;
        if (!search.error.empty())
            places += ": " + search.error;
        for (const auto& entry : search.entries) {
            listed++;
            const std::string who = entry.file.empty() ? search.set_by : entry.file;
            if (!entry.error.empty()) {
                found.push_back({ level::problem,
                                  "driver",
                                  "bad_icd_file",
                                  who + " is of no use: " + entry.error,
                                  "install its driver anew, or remove the file" });
                continue;
            }
            const std::string problem = load_problem(entry.library);
            if (problem.empty()) {
                loadable++;
                if (is_among(failed, entry))
                    continue; // it is not well, although its library loads
                const bool is_silent = platforms > 0 && platforms < expected &&
                                       platforms_of(entry.library) == std::size_t(0);
                found.push_back(is_silent ? driver_without_platform(who, entry)
                                          : finding{ level::fine,
                                                     "driver",
                                                     "",
                                                     who + " names " + entry.library +
                                                         ", which loads",
                                                     "" });
            } else {
                found.push_back(
                    { level::problem,
                      "driver",
                      "icd_library_fails",
                      who + " names the library " + entry.library + ", which " + problem,
                      "install the package that has this library, or remove "
                      "what names it" });
            }
        }
    }
    // Who has no driver needs none: everything runs on the host. Who names a place
    // expects one there.
    if (listed == 0)
        found.push_back(
            { are_usual ? level::note : level::problem,
              "driver",
              "no_icd_files",
              "no OpenCL driver is installed: there is no .icd file in " + places,
              install_a_driver });
    return found;
}

//! The platforms that a child process sees, as JSON: name, error code, number of devices.
std::string list_platforms(const std::vector<icd_entry>& drivers)
{
    json all = json::array();
    std::vector<cl::Platform> platforms;
    try {
        platforms = opencl_platforms(drivers);
    } catch (const cl::Error&) { // the loader reports in this way that there is no
                                 // platform
    }
    for (const auto& platform : platforms) {
        json entry = { { "name", "an unnamed platform" }, { "devices", 0 } };
        try {
            const std::string name = platform.getInfo<CL_PLATFORM_NAME>();
            entry["name"] = name.c_str();
            entry["devices"] = opencl_devices(platform).size();
        } catch (const cl::Error& e) {
            if (e.err() != CL_DEVICE_NOT_FOUND)
                entry["error"] =
                    std::string(e.what()) + " gives " + opencl_error_name(e.err());
        }
        all.push_back(entry);
    }
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

//! Mesa's rusticl uses no GPU that the variable RUSTICL_ENABLE does not name, which is
//! unset in Debian. That is a note: other drivers may be what the user wants.
finding empty_rusticl(const std::string& name)
{
    finding f = { level::note, "platform", "rusticl_without_devices", name, "" };
    std::string names;
    for (const auto& driver : rusticl_drivers())
        names += (names.empty() ? "" : ",") + driver;
    const auto enabled = variable("RUSTICL_ENABLE");
    f.text += " has no device: ";
    if (!enabled || enabled->empty()) {
        f.text += "the variable RUSTICL_ENABLE names no driver";
        f.advice = names.empty()
                       ? "there is no GPU here that it could use; leave it as it is"
                       : "to use the GPU, set RUSTICL_ENABLE=" + names +
                             ", for good by a line in /etc/environment";
    } else {
        f.text += "no driver of RUSTICL_ENABLE, which is '" + *enabled +
                  "', finds a GPU that it can use";
        f.advice = names.empty() || names == *enabled
                       ? "see that the GPU's kernel driver is loaded, and that you may "
                         "open its files in /dev/dri"
                       : "set RUSTICL_ENABLE=" + names + ", for this machine's GPU";
    }
    return f;
}

finding empty_platform(const std::string& name, const std::string& platform)
{
    if (is_rusticl(platform))
        return empty_rusticl(name);
    if (platform == "Clover")
        return { level::note,
                 "platform",
                 "clover",
                 name + " has no device: it is Mesa's former OpenCL, which rusticl "
                        "replaces",
                 "ignore it; or remove its file mesa.icd from /etc/OpenCL/vendors" };
    finding f = { level::problem,
                  "platform",
                  "platform_without_devices",
                  name + " is there but has no device",
                  "" };
    if (!is_pocl(platform)) {
        f.text += ": its driver finds no hardware that it can use";
        f.advice = "see that the hardware is there, that its kernel driver is loaded and "
                   "fits this driver's version, and that you may open its /dev files";
        return f;
    }
    const std::string why = why_not_writable(pocl_cache_folder());
    if (const auto devices = variable("POCL_DEVICES")) {
        f.text += ": the variable POCL_DEVICES is '" + *devices + "'";
        f.advice = "unset it, or set it to 'cpu' or 'pthread'";
    } else if (!why.empty()) {
        f.text += ": PoCL cannot write its cache folder " + pocl_cache_folder() + " (" +
                  why + ")";
        f.advice = "let POCL_CACHE_DIR or XDG_CACHE_HOME name a folder that is writable";
    } else {
        f.text += ": PoCL's own set-up fails";
        f.advice = "run 'POCL_DEBUG=all clinfo' to see where, and install it anew";
    }
    return f;
}

finding check_platform(std::size_t number, const json& platform)
{
    const std::string name = "platform " + std::to_string(number) + ", " +
                             platform["name"].get<std::string>() + ",";
    const auto devices = platform["devices"].get<std::size_t>();
    if (platform.contains("error"))
        return { level::problem,
                 "platform",
                 "platform_fails",
                 name + " does not list its devices: " +
                     platform["error"].get<std::string>(),
                 "install its driver anew" };
    if (devices == 0)
        return empty_platform(name, platform["name"].get<std::string>());
    return { level::fine,
             "platform",
             "",
             name + " has " + std::to_string(devices) +
                 (devices == 1 ? " device" : " devices"),
             "" };
}

findings check_failed(const driver_verdict& verdict)
{
    findings found;
    for (const auto& driver : verdict.failed) {
        const auto& what = driver.icd.file.empty() ? driver.icd.library : driver.icd.file;
        const bool is_known = !what.empty();
        found.push_back(
            { level::problem,
              "driver",
              driver.late ? "driver_hangs" : "driver_fails",
              driver.text() + (driver.when.empty() ? "" : " when " + driver.when) +
                  (is_known ? " (" + what + ")" : "") +
                  ": no program of gr-cldsp loads it" +
                  (verdict.devices.empty() ? "" : ", and the other drivers are used"),
              is_known ? "install its driver anew, or remove " + what
                       : "remove the drivers' .icd files one by one to find which one "
                         "it is" });
    }
    return found;
}

findings check_devices(const driver_verdict& verdict)
{
    findings found;
    for (const auto& device : verdict.devices)
        found.push_back({ level::fine,
                          "device",
                          "",
                          device.id() + ", " + device.name +
                              ", builds and runs a kernel" +
                              ", and loads what it has stored",
                          "" });
    for (const auto& device : verdict.unusable) {
        const auto text = device.text();
        const bool runs = text.find("cannot run a kernel") == std::string::npos;
        // The engine names the reason where it knows that the driver itself is whole.
        const bool known = text.find("PoCL would end the process") != std::string::npos;
        if (!runs)
            found.push_back(
                { level::problem,
                  "device",
                  "kernel_fails",
                  text,
                  std::string(known ? "change that" : "install its driver anew") +
                      "; until then the blocks leave this device" });
        else if (text.find(", device ") != std::string::npos)
            found.push_back({ level::problem,
                              "device",
                              "device_left_out",
                              text,
                              "the engine needs OpenCL 1.2 and a compiler" });
    }
    return found;
}

findings check_platforms(const isolated_result& listed, std::size_t loadable)
{
    findings found;
    if (!listed.answered()) {
        found.push_back({ level::problem,
                          "platform",
                          "driver_crashes",
                          "to list the OpenCL platforms " + listed.text,
                          "remove the drivers' .icd files one by one to find which one "
                          "it is" });
        return found;
    }
    const json platforms = json::parse(listed.text);
    if (platforms.empty() && loadable > 0)
        found.push_back({ level::problem,
                          "platform",
                          "no_platform",
                          "drivers load, but none of them offers a platform",
                          "see that the hardware is there and the driver fits it" });
    for (std::size_t i = 0; i < platforms.size(); i++)
        found.push_back(check_platform(i, platforms[i]));
    return found;
}

} // namespace

driver_report check_drivers()
{
    driver_report report;
    const auto add = [&](const findings& more) {
        report.found.insert(report.found.end(), more.begin(), more.end());
    };
    const auto loader = used_loader();
    add({ { level::fine, "loader", "", loader.text(), "" } });
    // The drivers are tried anew, whatever is remembered of them.
    const auto proof = prove_drivers(told_listing(), driver_trial::anew);
    std::vector<failed_driver> failed;
    std::optional<isolated_result> listed;
    std::size_t platforms = 0;
    if (proof.verdict) {
        failed = proof.verdict->failed;
        if (proof.verdict->may_load())
            listed = call_isolated([&] { return list_platforms(proof.verdict->only); },
                                   list_seconds);
        if (listed && listed->answered())
            platforms = json::parse(listed->text).size();
    }
    std::size_t loadable = 0;
    add(check_icds(search_icds(is_ocl_icd(loader.name)), failed, platforms, loadable));
    if (!proof.verdict) {
        add({ { level::problem,
                "driver",
                "no_trial",
                "no other process can try the OpenCL drivers: " + proof.why_not,
                "install the package anew, or allow this program to start another one; "
                "until then drivers are loaded only for a device that is named" } });
    } else {
        add(check_failed(*proof.verdict));
        if (listed)
            add(check_platforms(*listed, loadable));
        add(check_devices(*proof.verdict));
        report.devices = proof.verdict->devices.size();
        for (const auto& device : proof.verdict->devices)
            report.gpus += device.kind == device_kind::gpu;
    }
    const bool is_wrong =
        std::any_of(report.found.begin(), report.found.end(), [](const auto& one) {
            return one.how == level::problem;
        });
    if (report.devices == 0)
        add({ { is_wrong ? level::problem : level::note,
                "device",
                "no_opencl_device",
                "OpenCL offers no device: everything runs on the host",
                "" } });
    return report;
}

} // namespace cldsp::app
