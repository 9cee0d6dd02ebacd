// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the engine must know of rusticl, the OpenCL of Mesa's drivers.

#pragma once

#include <string>

namespace cldsp {

//! Whether a platform of this name is Mesa's rusticl.
inline bool is_rusticl(const std::string& platform_name)
{
    return platform_name == "rusticl";
}

} // namespace cldsp
