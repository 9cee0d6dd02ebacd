// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the loader's folders and variables, and tries each library in a child process.

#include "doctor/icd_search.h"

#include "environment.h"
#include "isolated.h"

#include <cldsp/context.h>

#include <dlfcn.h>

#include <system_error>
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cldsp::app {

namespace {

namespace fs = std::filesystem;

const std::string default_folder = "/etc/OpenCL/vendors";

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

//! The name that the loader gives itself, e.g. "OpenCL ICD Loader 2.3.1 OCL Icd free
//! software"; empty if it gives none. This query makes the loader load the drivers.
std::string ask_loader()
{
    constexpr double seconds = 60;
    const auto result = call_isolated(
        []() -> std::string {
            // Constants of the extension cl_loader_info.
            constexpr cl_uint version = 2, name = 3, vendor = 4;
            using info_function = cl_int (*)(cl_uint, std::size_t, void*, std::size_t*);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
            const auto info = reinterpret_cast<info_function>(
                clGetExtensionFunctionAddress("clGetICDLoaderInfoOCLICD"));
#pragma GCC diagnostic pop
            std::string text;
            for (const cl_uint what : { name, version, vendor }) {
                char part[256] = "";
                if (info && info(what, sizeof(part) - 1, part, nullptr) == CL_SUCCESS)
                    text += (text.empty() ? "" : " ") + std::string(part);
            }
            return text;
        },
        seconds);
    return result.answered() ? result.text : "";
}

const std::string& loader_name()
{
    static const std::string name = ask_loader();
    return name;
}

//! The two loaders give different meanings to the environment variables that name
//! drivers. A loader without a name is the Khronos loader.
bool is_ocl_icd() { return loader_name().find("OCL Icd") != std::string::npos; }

std::string set_variable(const char* name) { return variable(name).value_or(""); }

icd_entry read_icd(const fs::path& path)
{
    icd_entry entry{ path.string(), "", "" };
    std::ifstream file(path);
    if (!file) {
        entry.error = "it cannot be read";
        return entry;
    }
    std::getline(file, entry.library);
    while (!entry.library.empty() &&
           std::isspace(static_cast<unsigned char>(entry.library.back())))
        entry.library.pop_back();
    if (entry.library.empty())
        entry.error = "its first line names no library";
    return entry;
}

//! Reads the .icd files of a folder, sorted by name.
void read_folder(icd_search& search)
{
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::directory_iterator i(search.place, error), end; !error && i != end;
         i.increment(error))
        if (i->path().extension() == ".icd")
            files.push_back(i->path());
    if (error)
        search.error = error.message();
    std::sort(files.begin(), files.end());
    for (const auto& file : files)
        search.entries.push_back(read_icd(file));
}

//! Reads OCL_ICD_VENDORS as ocl-icd does if its value is not a folder.
void read_file_or_library(icd_search& search, const std::string& folder)
{
    const bool plain = search.place.find('/') == std::string::npos;
    std::error_code ignored;
    if (!plain && !fs::exists(search.place, ignored)) {
        search.error = "it does not exist";
        return;
    }
    if (!ends_with(search.place, ".icd")) {
        search.entries.push_back({ "", search.place, "" });
        return;
    }
    const auto in_folder = fs::path(folder) / search.place;
    search.entries.push_back(read_icd(
        plain && fs::exists(in_folder, ignored) ? in_folder : fs::path(search.place)));
}

} // namespace

std::vector<icd_search> search_icds()
{
    const std::string vendors = set_variable("OCL_ICD_VENDORS");
    const std::string path = set_variable("OPENCL_VENDOR_PATH");
    const std::string names = set_variable("OCL_ICD_FILENAMES");
    const bool ocl_icd = is_ocl_icd();
    std::vector<icd_search> all;
    if (!ocl_icd && !names.empty()) {
        icd_search search{ names, "OCL_ICD_FILENAMES", "", {} };
        for (std::size_t begin = 0; begin <= names.size();) {
            const auto end = std::min(names.find(':', begin), names.size());
            if (end > begin)
                search.entries.push_back({ "", names.substr(begin, end - begin), "" });
            begin = end + 1;
        }
        all.push_back(search);
    }
    icd_search search;
    if (!vendors.empty())
        search = { vendors, "OCL_ICD_VENDORS", "", {} };
    else if (ocl_icd && !path.empty())
        search = { path, "OPENCL_VENDOR_PATH", "", {} };
    else
        search.place = default_folder;
    std::error_code ignored;
    if (ocl_icd && search.set_by == "OCL_ICD_VENDORS" &&
        !fs::is_directory(search.place, ignored))
        read_file_or_library(search, path.empty() ? default_folder : path);
    else
        read_folder(search);
    all.push_back(search);
    return all;
}

std::string loader_text()
{
    Dl_info info{};
    std::string file = "unknown";
    if (dladdr(reinterpret_cast<void*>(&clGetPlatformIDs), &info) && info.dli_fname)
        file = info.dli_fname;
    return file + (loader_name().empty() ? "" : " (" + loader_name() + ")");
}

std::string load_problem(const std::string& library)
{
    constexpr double seconds = 30;
    const auto result = call_isolated(
        [&]() -> std::string {
            void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
            if (!handle)
                return std::string("cannot be loaded: ") + dlerror();
            if (!dlsym(handle, "clGetExtensionFunctionAddress") &&
                !dlsym(handle, "clIcdGetPlatformIDsKHR"))
                return "is no OpenCL driver";
            return "";
        },
        seconds);
    return result.text;
}

} // namespace cldsp::app
