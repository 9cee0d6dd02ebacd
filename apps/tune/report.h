/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "tune/kernels.h"

#include <cldsp/device.h>
#include <cldsp/tuner.h>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>

namespace cldsp::app {

//! A kernel on a device.
struct tuning_task {
    tunable_kernel kernel;
    device_info device;
    std::size_t items;

    std::string name() const { return kernel.name + " on " + device.id(); }
};

//! What came of it.
struct tuning_outcome {
    tuning_task what;
    std::string family;
    tuning_problem problem;
    tuning_values shipped; //!< what runs untuned
    tuning_result result;
};

//! Three lines for a person.
void print_tuning(const tuning_outcome& o);

//! The same and more, for programs.
nlohmann::ordered_json tuning_json(const tuning_outcome& o);

} // namespace cldsp::app
