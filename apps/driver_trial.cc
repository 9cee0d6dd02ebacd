// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Asks the engine for its verdict on the drivers, and takes the host where it is bad.

#include "driver_trial.h"

#include <cldsp/drivers.h>

#include <iostream>
#include <stdexcept>

namespace cldsp::app {

namespace {

//! The reason why no driver is loaded; empty: some are, or there is none.
std::string why_no_driver_is_loaded()
{
    const auto how = told_listing();
    if (policy_in_use(how.drivers) != driver_policy::prove)
        return "";
    const auto proof = prove_drivers(how, driver_trial::if_needed);
    if (!proof.verdict)
        return "no other process can try the OpenCL drivers (" + proof.why_not + ")";
    std::string why;
    if (!proof.verdict->may_load())
        for (const auto& driver : proof.verdict->failed)
            why += (why.empty() ? "" : ", and ") + driver.text() +
                   (driver.when.empty() ? "" : " when " + driver.when);
    return why;
}

} // namespace

device_listing told_listing(const logger& log)
{
    return standard_listing([log](log_level level, const std::string& text) {
        if (level == log_level::info)
            std::cerr << "cldsp: " << text << "\n";
        else
            log_to(log, level, text);
    });
}

std::string loadable_device(const std::string& text)
{
    if (is_host_text(text))
        return text;
    const auto why = why_no_driver_is_loaded();
    if (why.empty())
        return text;
    const std::string reason = why + "; 'cldsp doctor' tells more";
    const auto instead = host_instead_of_auto(text);
    if (!is_host_text(instead))
        throw std::runtime_error("device '" + text + "' cannot be looked for: " + reason +
                                 ", and --device host needs no driver");
    std::cerr << "cldsp: the host computes: " + reason + "\n";
    return instead;
}

} // namespace cldsp::app
