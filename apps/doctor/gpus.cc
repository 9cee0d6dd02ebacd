// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds graphics processors that OpenCL does not show, and names the driver they need.

#include "doctor/doctor.h"

#include <unistd.h>

#include <system_error>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;
using level = finding::level;

//! A maker of graphics processors, and advice on its OpenCL driver.
struct maker {
    const char* name;
    const char* advice;
};

const std::map<std::string, maker>& makers()
{
    static const std::map<std::string, maker> known = {
        { "0x10de",
          { "NVIDIA",
            "install NVIDIA's driver with its OpenCL part (Debian: nvidia-opencl-icd), "
            "and "
            "see that nvidia-smi shows the GPU" } },
        { "0x1002",
          { "AMD",
            "install ROCm's OpenCL (rocm-opencl-runtime) or Mesa's (mesa-opencl-icd)" } },
        { "0x8086", { "Intel", "install Intel's OpenCL driver (intel-opencl-icd)" } },
    };
    return known;
}

std::string first_line(const fs::path& path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line.substr(0, line.find('\0'));
}

std::vector<fs::path> entries(const fs::path& folder)
{
    std::vector<fs::path> all;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end;
         i.increment(error))
        all.push_back(i->path());
    std::sort(all.begin(), all.end());
    return all;
}

//! The PCI vendors of the display controllers, without those that are mere frame buffers.
std::vector<std::string> pci_gpus(const std::string& root)
{
    std::vector<std::string> vendors;
    for (const auto& device : entries(root + "/sys/bus/pci/devices")) {
        const bool display = first_line(device / "class").rfind("0x03", 0) == 0;
        const std::string vendor = first_line(device / "vendor");
        if (display && makers().count(vendor))
            vendors.push_back(vendor);
    }
    return vendors;
}

//! Device files of GPUs that this user may not open.
std::vector<std::string> locked_files(const std::string& root)
{
    std::vector<fs::path> files = entries(root + "/dev/dri");
    files.push_back(root + "/dev/kfd");
    files.push_back(root + "/dev/nvidiactl");
    std::vector<std::string> locked;
    for (const auto& file : files) {
        const std::string name = file.filename().string();
        // Files named "card..." are for displays.
        const bool wanted = name.rfind("card", 0) != 0;
        if (wanted && ::access(file.c_str(), F_OK) == 0 && !fs::is_directory(file) &&
            ::access(file.c_str(), R_OK | W_OK) != 0)
            locked.push_back(file.string());
    }
    return locked;
}

finding missing_gpu(const std::string& vendor)
{
    const auto& who = makers().at(vendor);
    return { level::problem,
             "gpu",
             "gpu_without_driver",
             std::string("this machine has a GPU of ") + who.name +
                 " that OpenCL does not show",
             who.advice };
}

} // namespace

findings check_gpus(std::size_t opencl_gpus, const std::string& root)
{
    findings found;
    for (const auto& file : locked_files(root))
        found.push_back(
            { level::problem,
              "gpu",
              "no_permission",
              "you may not open " + file,
              "add yourself to the groups render and video, and log in anew" });
    if (opencl_gpus > 0) {
        found.push_back({ level::fine,
                          "gpu",
                          "",
                          "OpenCL shows " + std::to_string(opencl_gpus) +
                              (opencl_gpus == 1 ? " GPU" : " GPUs"),
                          "" });
        return found;
    }
    const auto vendors = pci_gpus(root);
    for (const auto& vendor : vendors)
        found.push_back(missing_gpu(vendor));
    const std::string board = first_line(root + "/proc/device-tree/model");
    if (vendors.empty() && board.rfind("Raspberry Pi", 0) == 0)
        found.push_back({ level::note,
                          "gpu",
                          "raspberry_pi",
                          board + ": its GPU is not shown by OpenCL",
                          "see docs/raspberry_pi.md; the processor is mostly faster" });
    else if (vendors.empty())
        found.push_back(
            { level::note,
              "gpu",
              "no_gpu",
              "this machine has no GPU of AMD, Intel or NVIDIA on its PCI bus",
              "" });
    return found;
}

} // namespace cldsp::app
