// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks that OpenCL's drivers load, list devices, and run a kernel rightly.

#include "doctor/doctor.h"
#include "doctor/icd_search.h"
#include "doctor/writable.h"
#include "environment.h"
#include "isolated.h"

#include <cldsp/context.h>
#include <cldsp/errors.h>
#include <cldsp/opencl_platforms.h>
#include <cldsp/pocl.h>

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace cldsp::app {

namespace {

using nlohmann::json;
using level = finding::level;

constexpr double list_seconds = 60;
constexpr double kernel_seconds = 120; // a first compilation takes long on a small board

const std::string install_a_driver =
    "install the driver of your device: pocl-opencl-icd for the processor, "
    "mesa-opencl-icd, intel-opencl-icd or nvidia-opencl-icd for a GPU";

//! Checks the .icd files and whether each library loads. Adds the number of libraries
//! that load to \p loadable.
findings check_icds(std::size_t& loadable)
{
    findings found;
    std::size_t listed = 0;
    std::string places;
    for (const auto& search : search_icds()) {
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
                found.push_back({ level::fine,
                                  "driver",
                                  "",
                                  who + " names " + entry.library + ", which loads",
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
    if (listed == 0)
        found.push_back(
            { level::problem,
              "driver",
              "no_icd_files",
              "no OpenCL driver is installed: there is no .icd file in " + places,
              install_a_driver });
    return found;
}

//! The platforms that a child process sees, as JSON: name, error code, number of devices.
std::string list_platforms()
{
    json all = json::array();
    std::vector<cl::Platform> platforms;
    try {
        platforms = opencl_platforms();
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

finding empty_platform(const std::string& name)
{
    finding f = { level::problem,
                  "platform",
                  "platform_without_devices",
                  name + " is there but has no device",
                  "" };
    if (!is_pocl(name)) {
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
        return empty_platform(name);
    return { level::fine,
             "platform",
             "",
             name + " has " + std::to_string(devices) +
                 (devices == 1 ? " device" : " devices"),
             "" };
}

//! Builds and runs a kernel without any of the engine's caches.
std::string run_a_kernel(const device_info& device)
{
    context_options options;
    options.disk_cache = false;
    const context on(device, options);
    const auto program = on.build_source(
        "__kernel void add_one(__global int *x) { x[get_global_id(0)] += 1; }", "");
    const auto queue = on.make_queue();
    int value = 41;
    const cl::Buffer buffer(
        on.cl_context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(value), &value);
    cl::Kernel kernel(program, "add_one");
    kernel.setArg(0, buffer);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
    queue.enqueueReadBuffer(buffer, CL_TRUE, 0, sizeof(value), &value);
    if (value != 42)
        throw std::runtime_error("a kernel computes 41 + 1 = " + std::to_string(value));
    return "";
}

finding check_device(const json& entry)
{
    device_info device;
    device.kind = static_cast<device_kind>(entry["kind"].get<int>());
    device.platform = entry["platform"].get<std::size_t>();
    device.index = entry["index"].get<std::size_t>();
    device.name = entry["name"].get<std::string>();
    const std::string name = entry["text"].get<std::string>();
    const auto result =
        call_isolated([&] { return run_a_kernel(device); }, kernel_seconds);
    if (result.answered())
        return { level::fine, "device", "", name + " builds and runs a kernel", "" };
    // The engine names the reason where it knows that the driver itself is whole.
    const bool known =
        result.text.find("PoCL would end the process") != std::string::npos;
    return { level::problem,
             "device",
             "kernel_fails",
             name + " cannot run a kernel: " + result.text,
             std::string(known ? "change that" : "install its driver anew") +
                 "; until then the blocks leave this device" };
}

//! The devices that the engine accepts, and the reasons why it leaves out others, as
//! JSON.
std::string list_usable()
{
    json left_out = json::array(), usable = json::array();
    const auto devices = list_devices(
        [&](log_level, const std::string& text) { left_out.push_back(text); });
    for (const auto& device : devices)
        if (!device.is_host())
            usable.push_back({ { "kind", static_cast<int>(device.kind) },
                               { "platform", device.platform },
                               { "index", device.index },
                               { "name", device.name },
                               { "text", device.id() + ", " + device.name + "," } });
    return json{ { "left_out", left_out }, { "usable", usable } }.dump(
        -1, ' ', false, json::error_handler_t::replace);
}

void check_platforms(driver_report& report, std::size_t loadable)
{
    auto& found = report.found;
    const auto listed = call_isolated(list_platforms, list_seconds);
    if (!listed.answered()) {
        found.push_back({ level::problem,
                          "platform",
                          "driver_crashes",
                          "to list the OpenCL platforms " + listed.text,
                          "remove the drivers' .icd files one by one to find which one "
                          "it is" });
        return;
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

    const auto usable = call_isolated(list_usable, list_seconds);
    if (!usable.answered()) {
        found.push_back({ level::problem,
                          "device",
                          "driver_crashes",
                          "to ask the devices what they are " + usable.text,
                          "remove the drivers' .icd files one by one to find which one "
                          "it is" });
        return;
    }
    const json devices = json::parse(usable.text);
    for (const auto& text : devices["left_out"])
        if (text.get<std::string>().find(", device ") != std::string::npos)
            found.push_back({ level::problem,
                              "device",
                              "device_left_out",
                              text.get<std::string>(),
                              "the engine needs OpenCL 1.2 and a compiler" });
    for (const auto& entry : devices["usable"]) {
        found.push_back(check_device(entry));
        report.devices++;
        report.gpus += entry["kind"] == static_cast<int>(device_kind::gpu);
    }
}

} // namespace

driver_report check_drivers()
{
    driver_report report;
    report.found.push_back({ level::fine, "loader", "", loader_text(), "" });
    std::size_t loadable = 0;
    for (auto& f : check_icds(loadable))
        report.found.push_back(std::move(f));
    check_platforms(report, loadable);
    if (report.devices == 0)
        report.found.push_back({ level::problem,
                                 "device",
                                 "no_opencl_device",
                                 "OpenCL offers no device: everything runs on the host",
                                 "" });
    return report;
}

} // namespace cldsp::app
