// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists the devices in a child process, and takes the host where that fails.

#include "driver_trial.h"
#include "isolated.h"

#include <cldsp/device.h>

#include <system_error>
#include <iostream>
#include <stdexcept>

namespace cldsp::app {

std::string why_no_driver_is_loaded(double seconds)
{
    try {
        const auto listed = call_isolated(
            [] {
                list_devices();
                return std::string();
            },
            seconds,
            [] { std::cerr << "cldsp: waiting for the OpenCL drivers\n"; });
        return listed.answered() ? "" : "an OpenCL driver " + listed.text;
    } catch (const std::system_error& e) {
        return std::string("no child process can try the OpenCL drivers (") + e.what() +
               ")";
    }
}

std::string loadable_device(const std::string& text)
{
    if (is_host_text(text))
        return text;
    const auto instead = host_instead_of_auto(text);
    const bool may_be_host = is_host_text(instead);
    // Who names a device waits for a driver that is slow, as to wake a GPU.
    constexpr double patience = 60;
    const auto why = why_no_driver_is_loaded(may_be_host ? driver_seconds : patience);
    if (why.empty())
        return text;
    const std::string reason =
        why + " when the devices are listed; 'cldsp doctor' tells more";
    if (!may_be_host)
        throw std::runtime_error("device '" + text + "' cannot be looked for: " + reason +
                                 ", and --device host needs no driver");
    std::cerr << "cldsp: the host computes: " + reason + "\n";
    return instead;
}

} // namespace cldsp::app
