/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "driver_trial.h"
#include "isolated.h"

#include <cldsp/device.h>

#include <iostream>
#include <stdexcept>

namespace cldsp::app {

std::string why_no_driver_is_loaded()
{
    constexpr double seconds = 15; // a GPU's driver may take some to wake its device
    const auto listed = call_isolated(
        [] {
            list_devices();
            return std::string();
        },
        seconds);
    return listed.answered() ? "" : "an OpenCL driver " + listed.text;
}

std::string loadable_device(const std::string& text)
{
    if (is_host_text(text))
        return text;
    const auto why = why_no_driver_is_loaded();
    if (why.empty())
        return text;
    const std::string reason =
        why + " when the devices are listed; 'cldsp doctor' tells more";
    const auto host = host_instead_of_auto(text);
    if (!is_host_text(host))
        throw std::runtime_error("device '" + text + "' cannot be looked for: " + reason +
                                 ", and --device host needs no driver");
    std::cerr << "cldsp: the host computes: " + reason + "\n";
    return host;
}

} // namespace cldsp::app
