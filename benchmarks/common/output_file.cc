// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the system whether a file can be written, and writes reports.

#include "common/output_file.h"

#include <cldsp/errors.h>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <system_error>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace cldsp::bench {

namespace {

namespace fs = std::filesystem;

//! What keeps a file from being written; empty: nothing does.
std::string obstacle(const fs::path& path)
{
    std::error_code none;
    if (fs::is_directory(path, none))
        return "it is a folder";
    if (fs::exists(path, none))
        return ::access(path.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : ".";
    if (!fs::exists(folder, none))
        return "there is no folder '" + folder.string() + "'";
    if (!fs::is_directory(folder, none))
        return "'" + folder.string() + "' is no folder";
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return "folder '" + folder.string() + "': " + std::strerror(errno);
    return {};
}

} // namespace

void check_output_file(const std::string& option, const std::string& path)
{
    const auto found = obstacle(path);
    if (!found.empty())
        throw_invalid(option, "'" + path + "'", "a file that can be written; " + found);
}

void write_report(const std::string& path, const nlohmann::json& report)
{
    std::ofstream file(path);
    file << report.dump(2) << "\n";
    file.close();
    if (!file)
        throw std::runtime_error("cannot write " + path + ": " + std::strerror(errno));
}

} // namespace cldsp::bench
