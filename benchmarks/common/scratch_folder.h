// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An empty folder for a cache, which is deleted at the end.

#pragma once

#include <stdlib.h>
#include <system_error>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace cldsp::bench {

//! An empty folder for a cache, which is deleted with this object.
class scratch_folder
{
public:
    scratch_folder()
        : d_path((std::filesystem::temp_directory_path() / "cldsp-benchmark-XXXXXX")
                     .string())
    {
        if (!mkdtemp(d_path.data()))
            throw std::runtime_error("cannot make a folder " + d_path);
    }
    ~scratch_folder()
    {
        std::error_code ignored;
        std::filesystem::remove_all(d_path, ignored);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    const std::string& path() const { return d_path; }

private:
    std::string d_path;
};

} // namespace cldsp::bench
