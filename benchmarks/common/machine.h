// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Describes the machine and its devices, for reports of rates.

#pragma once

#include <cldsp/device.h>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cldsp::bench {

//! Processor, memory, system, load, compiler and VOLK: everything that a rate depends on.
nlohmann::json describe_machine();
nlohmann::json describe_device(const device_info& device);
//! With VOLK's plain C kernels everything else would look fast. \throws
//! std::runtime_error if the environment asks for them
void refuse_generic_volk();
//! The load average of the last minute; negative if it is not known.
double load_average();
//! Lines for a person about the machine and its devices.
std::string machine_text(const std::vector<device_info>& devices);

} // namespace cldsp::bench
