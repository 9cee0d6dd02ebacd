// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the processor's name from the system, and makes the line of it.

#include "storage/host_identity.h"

#include "base/processors.h"
#include "simd/dispatch.h"

#include <fstream>

namespace cldsp {

namespace {

//! The processor's name. x86 systems tell it; ARM systems tell that of the board, or the
//! part number of the core.
std::string processor()
{
    std::ifstream info("/proc/cpuinfo");
    std::string part;
    for (std::string line; std::getline(info, line);) {
        const auto colon = line.find(": ");
        if (colon == std::string::npos)
            continue;
        if (line.compare(0, 10, "model name") == 0 || line.compare(0, 5, "Model") == 0)
            return line.substr(colon + 2);
        if (line.compare(0, 8, "CPU part") == 0)
            part = "part " + line.substr(colon + 2);
    }
    return part.empty() ? "unknown processor" : part;
}

} // namespace

const std::string& host_identity()
{
    static const auto& identity = *new std::string(
        processor() + ", " + instruction_set() + ", " +
        std::to_string(usable_processors()) + " cores, gr-cldsp " CLDSP_VERSION);
    return identity;
}

} // namespace cldsp
