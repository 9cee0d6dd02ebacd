// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Tells a variable that is not set from one that is empty.

#include "environment.h"

#include <cstdlib>

namespace cldsp::app {

std::optional<std::string> variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

} // namespace cldsp::app
