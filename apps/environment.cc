/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "environment.h"

#include <cstdlib>

namespace cldsp::app {

namespace {

std::optional<std::string> pocl_affinity;

} // namespace

std::optional<std::string> variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
}

void remember_environment() { pocl_affinity = variable("POCL_AFFINITY"); }

const std::optional<std::string>& users_pocl_affinity() { return pocl_affinity; }

} // namespace cldsp::app
