/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "opencl/kernel_source.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace cldsp {

std::vector<std::string> kernel_names()
{
    std::vector<std::string> names;
    for (auto kernel = embedded_kernels; kernel->name; kernel++)
        names.emplace_back(kernel->name);
    // The keys of stored plans hash the files in this order, which must therefore not
    // depend on the folders.
    std::sort(names.begin(), names.end());
    return names;
}

std::string kernel_source(const std::string& name, const std::string& folder)
{
    const char* variable = std::getenv("CLDSP_KERNEL_PATH");
    const std::string path = folder.empty() && variable ? variable : folder;
    if (!path.empty()) {
        // As in the source tree, files of the ladders may lie in a folder `ladder`.
        for (const char* subfolder : { "/", "/ladder/" }) {
            std::ifstream file(path + subfolder + name + ".cl", std::ios::binary);
            if (file)
                return std::string(std::istreambuf_iterator<char>(file), {});
        }
    }
    for (auto kernel = embedded_kernels; kernel->name; kernel++)
        if (name == kernel->name)
            return kernel->source;

    std::string known;
    for (const auto& n : kernel_names())
        known += (known.empty() ? "" : ", ") + n;
    throw_invalid("kernel file",
                  "'" + name + "'",
                  "one of " + (known.empty() ? "none" : known) +
                      (path.empty() ? "" : ", or a file in " + path));
}

} // namespace cldsp
