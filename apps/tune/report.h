// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The outcome of a tuning, for people and for programs.

#pragma once

#include "tune/kernels.h"

#include <cldsp/device.h>
#include <cldsp/tuner.h>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace cldsp::app {

//! A kernel to be tuned on a device.
struct tuning_task {
    tunable_kernel kernel;
    device_info device;
    std::size_t items;

    std::string name() const { return kernel.name + " on " + device.id(); }
};

//! The result of tuning a kernel on a device.
struct tuning_outcome {
    tuning_task what;
    std::string family;
    tuning_problem problem;
    tuning_values shipped; //!< the parameters of the kernel before tuning
    tuning_result result;
};

//! Prints the outcome in three lines for a person.
void print_tuning(const tuning_outcome& o);

//! The outcome for programs, with more details than the text.
nlohmann::ordered_json tuning_json(const tuning_outcome& o);

} // namespace cldsp::app
