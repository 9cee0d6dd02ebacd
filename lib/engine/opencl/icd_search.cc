// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the loader's folders and variables, and makes folders of some drivers.

#include "opencl/icd_search.h"

#include <cldsp/context.h>

#include <system_error>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <unistd.h>

namespace cldsp {

namespace fs = std::filesystem;

namespace {

const char* const default_vendors = "/etc/OpenCL/vendors";
constexpr const char *vendors_variable = "OCL_ICD_VENDORS",
                     *names_variable = "OCL_ICD_FILENAMES";

std::string icd_variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() &&
           text.compare(text.size() - end.size(), end.size(), end) == 0;
}

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

std::string icd_entry::name() const
{
    return fs::path(file.empty() ? library : file).filename().string();
}

std::vector<icd_search> search_icds(bool ocl_icd)
{
    const std::string vendors = icd_variable(vendors_variable);
    const std::string path = icd_variable("OPENCL_VENDOR_PATH");
    const std::string names = icd_variable(names_variable);
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
        search.place = default_vendors;
    std::error_code ignored;
    if (ocl_icd && search.set_by == "OCL_ICD_VENDORS" &&
        !fs::is_directory(search.place, ignored))
        read_file_or_library(search, path.empty() ? default_vendors : path);
    else
        read_folder(search);
    all.push_back(search);
    return all;
}

std::string loader_name()
{
    const shown_drivers::variables none = { { vendors_variable, "/nonexistent" },
                                            { names_variable, std::nullopt } };
    const auto before = shown_drivers::set(none);
    // Constants of the extension cl_loader_info.
    constexpr cl_uint version = 2, name = 3, vendor = 4;
    using info_function = cl_int (*)(cl_uint, std::size_t, void*, std::size_t*);
    using find_function = void* (*)(const char*);
    // Of the loader itself: a layer between it and this process need not have the function.
    const auto find = reinterpret_cast<find_function>(
        ::dlsym(RTLD_DEFAULT, "clGetExtensionFunctionAddress"));
    const auto info = reinterpret_cast<info_function>(
        find ? find("clGetICDLoaderInfoOCLICD") : nullptr);
    std::string text;
    for (const cl_uint what : { name, version, vendor }) {
        char part[256] = "";
        if (info && info(what, sizeof(part) - 1, part, nullptr) == CL_SUCCESS)
            text += (text.empty() ? "" : " ") + std::string(part);
    }
    shown_drivers::set(before);
    return text;
}

bool is_ocl_icd(const std::string& loader_name)
{
    return loader_name.find("OCL Icd") != std::string::npos;
}

// Both loaders read the .icd files of a folder. For one driver there is a way without a
// folder, which may not be writable anywhere: ocl-icd reads a file that OCL_ICD_VENDORS
// names, and Khronos's loader, for which that is no folder, a library in
// OCL_ICD_FILENAMES, which ocl-icd does not know.
shown_drivers::shown_drivers(const std::vector<icd_entry>& drivers)
{
    if (drivers.size() == 1) {
        const auto& one = drivers.front();
        d_values = { { vendors_variable, one.file.empty() ? one.library : one.file },
                     { names_variable, one.library } };
        return;
    }
    std::error_code ignored;
    fs::path parent = fs::temp_directory_path(ignored);
    if (parent.empty())
        parent = "/tmp";
    d_folder = (parent / "cldsp-drivers-XXXXXX").string();
    if (!::mkdtemp(d_folder.data())) {
        const int code = errno;
        const std::string name = std::exchange(d_folder, "");
        throw std::system_error(code, std::generic_category(), "cannot make " + name);
    }
    for (std::size_t i = 0; i < drivers.size(); i++) {
        const fs::path name = std::to_string(100 + i) + ".icd";
        std::ofstream file(fs::path(d_folder) / name);
        file << drivers[i].library << "\n";
    }
    d_values = { { vendors_variable, d_folder }, { names_variable, std::nullopt } };
}

shown_drivers::~shown_drivers()
{
    std::error_code ignored;
    if (!d_folder.empty())
        fs::remove_all(d_folder, ignored);
}

shown_drivers::variables shown_drivers::set(const variables& values)
{
    variables before;
    for (const auto& [name, value] : values) {
        const char* present = std::getenv(name.c_str());
        before.emplace_back(name,
                            present ? std::optional<std::string>(present) : std::nullopt);
        if (value)
            ::setenv(name.c_str(), value->c_str(), 1);
        else
            ::unsetenv(name.c_str());
    }
    return before;
}

} // namespace cldsp
