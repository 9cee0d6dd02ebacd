/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/device.h>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cldsp::bench {

//! Processor, memory, system, load, compiler, VOLK: what a figure depends on.
nlohmann::json describe_machine();
nlohmann::json describe_device(const device_info& device);
//! Load of the last minute, or a negative number.
double load_average();
//! A person's lines about the machine and its devices.
std::string machine_text(const std::vector<device_info>& devices);

} // namespace cldsp::bench
