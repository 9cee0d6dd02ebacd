// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds graphics processors that OpenCL does not show, and names the driver they need.

#include "doctor/doctor.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <system_error>
#include <algorithm>
#include <array>
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

//! A render node, through which programs compute on a GPU.
struct render_node {
    std::string name;   //!< such as "renderD128"
    std::string driver; //!< the kernel's, such as "v3d"
};

//! Not every GPU is on the PCI bus: a Raspberry Pi's is not.
std::vector<render_node> render_nodes(const std::string& root)
{
    std::vector<render_node> nodes;
    for (const auto& entry : entries(root + "/sys/class/drm")) {
        const std::string name = entry.filename().string();
        std::error_code error;
        const auto driver = fs::read_symlink(entry / "device/driver", error);
        if (name.rfind("renderD", 0) == 0 && !error)
            nodes.push_back({ name, driver.filename().string() });
    }
    return nodes;
}

//! The names of Mesa's drivers for the kernel's. Others have no rusticl, or need none.
const std::map<std::string, std::string>& mesa_drivers()
{
    static const std::map<std::string, std::string> known = {
        { "v3d", "v3d" },           { "i915", "iris" },        { "xe", "iris" },
        { "amdgpu", "radeonsi" },   { "radeon", "r600" },      { "nouveau", "nouveau" },
        { "panfrost", "panfrost" }, { "panthor", "panfrost" }, { "msm", "freedreno" },
        { "asahi", "asahi" },
    };
    return known;
}

//! Render nodes whose files are missing, as in a container that was not given them.
findings missing_nodes(const std::string& root)
{
    findings found;
    for (const auto& node : render_nodes(root)) {
        const std::string file = "/dev/dri/" + node.name;
        if (mesa_drivers().count(node.driver) &&
            ::access((root + file).c_str(), F_OK) != 0)
            found.push_back({ level::note,
                              "gpu",
                              "no_render_node",
                              "the kernel has a GPU (" + node.driver +
                                  "), but there is "
                                  "no " +
                                  file,
                              "let the container have it: '--device /dev/dri' for Docker "
                              "and Podman" });
    }
    return found;
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

//! The groups that have the files, and "render" if they are unknown.
std::string groups_of(const std::vector<std::string>& files)
{
    std::string names;
    for (const auto& file : files) {
        struct stat status = {};
        if (::stat(file.c_str(), &status) != 0)
            continue;
        std::array<char, 4096> text;
        struct group one = {}, *known = nullptr;
        ::getgrgid_r(status.st_gid, &one, text.data(), text.size(), &known);
        const std::string name = known ? known->gr_name : "";
        if (!name.empty() && name != "root" &&
            ("," + names + ",").find("," + name + ",") == std::string::npos)
            names += (names.empty() ? "" : ",") + name;
    }
    return names.empty() ? "render,video" : names;
}

//! What brings a Raspberry Pi's GPU into OpenCL, one step after the other.
finding raspberry_pi(const std::string& board, const std::string& root)
{
    finding f = {
        level::note, "gpu", "raspberry_pi", board + ": its GPU is not shown by OpenCL", ""
    };
    const std::string rest = "; the processor is mostly faster, see docs/raspberry_pi.md";
    const auto mesa = rusticl_drivers(root);
    if (std::find(mesa.begin(), mesa.end(), "v3d") != mesa.end()) {
        const bool has_mesa =
            ::access((root + "/etc/OpenCL/vendors/rusticl.icd").c_str(), F_OK) == 0;
        f.advice = std::string("type ") +
                   (has_mesa ? "" : "'sudo apt install mesa-opencl-icd' and then ") +
                   "'RUSTICL_ENABLE=v3d cldsp devices'; a line RUSTICL_ENABLE=v3d in "
                   "/etc/environment keeps it" +
                   rest;
        return f;
    }
    // The Raspberry Pi 4 was the first with a GPU that Mesa's OpenCL drives.
    const auto number = board.find_first_of("0123456789");
    const bool is_old = board.find("Zero") != std::string::npos ||
                        (number != std::string::npos && board[number] < '4');
    f.advice = is_old ? "VC4CL drives its GPU" + rest
                      : "its kernel driver v3d is not loaded: the line "
                        "dtoverlay=vc4-kms-v3d in /boot/firmware/config.txt, and a "
                        "restart, load it" +
                            rest;
    return f;
}

} // namespace

std::vector<std::string> rusticl_drivers(const std::string& root)
{
    std::vector<std::string> names;
    for (const auto& node : render_nodes(root)) {
        const auto known = mesa_drivers().find(node.driver);
        if (known != mesa_drivers().end() &&
            std::find(names.begin(), names.end(), known->second) == names.end())
            names.push_back(known->second);
    }
    return names;
}

findings check_gpus(std::size_t opencl_gpus, const std::string& root)
{
    findings found;
    const auto locked = locked_files(root);
    for (const auto& file : locked)
        found.push_back({ level::problem,
                          "gpu",
                          "no_permission",
                          "you may not open " + file,
                          "type 'sudo usermod -aG " + groups_of(locked) +
                              " $USER', and log in anew" });
    if (opencl_gpus > 0) {
        found.push_back({ level::fine,
                          "gpu",
                          "",
                          "OpenCL shows " + std::to_string(opencl_gpus) +
                              (opencl_gpus == 1 ? " GPU" : " GPUs"),
                          "" });
        return found;
    }
    const auto missing = missing_nodes(root);
    found.insert(found.end(), missing.begin(), missing.end());
    const auto vendors = pci_gpus(root);
    for (const auto& vendor : vendors)
        found.push_back(missing_gpu(vendor));
    const std::string board = first_line(root + "/proc/device-tree/model");
    if (vendors.empty() && board.rfind("Raspberry Pi", 0) == 0)
        found.push_back(raspberry_pi(board, root));
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
