// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The options, the devices and the registry of all tests.

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace cldsp {

//! A variable's value; empty if it is not set.
inline std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

//! Whether small problems are wanted, because a simulator or a sanitizer runs the test.
inline bool small_tests() { return !environment("CLDSP_TEST_SMALL").empty(); }

/*!
 * The options of the contexts in tests: the profile comes from CLDSP_TEST_PROFILE, and
 * measurements of earlier runs are not used. Programs are not stored: PoCL would compile
 * every kernel of a file for its binary, also those that the test does not run, which
 * takes most of a test's time. PoCL's own cache still has what was compiled before. With
 * CLDSP_TEST_STORE they are stored, because drivers of GPUs compile slowly and have no
 * such cache. Tests of stored programs or measurements set disk_cache and a folder.
 */
inline context_options test_options()
{
    context_options options;
    options.profile = environment("CLDSP_TEST_PROFILE");
    options.disk_cache = !environment("CLDSP_TEST_STORE").empty();
    options.wisdom_file = false;
    options.device_timeout = 0; // a device of a busy machine is slow, not lost
    return options;
}

//! A registry whose devices have the limits of the profile under test.
inline context_registry make_test_registry() { return context_registry(test_options()); }

//! The OpenCL devices under test: those that CLDSP_TEST_DEVICE names, or all if it is not
//! set.
inline std::vector<device_info> test_devices()
{
    const std::string text = environment("CLDSP_TEST_DEVICE");
    std::vector<device_info> devices;
    for (auto& device : find_devices(text.empty() ? "auto" : text))
        if (!device.is_host())
            devices.push_back(device);
    if (devices.empty())
        throw std::runtime_error("the tests need an OpenCL device, such as PoCL's");
    return devices;
}

//! The first device under test.
inline device_info test_device() { return test_devices().front(); }

//! Waits until the commands in flight on a lost device have ended. A driver may keep
//! commands for ever that were never flushed; if no command ends for \p max_idle
//! milliseconds, only such commands are left.
inline void await_late_commands(const context& device, int max_idle = 2000)
{
    constexpr auto pause = std::chrono::milliseconds(1);
    std::size_t left = device.commands_in_flight();
    for (int idle = 0; left > 0 && idle < max_idle; ++idle) {
        std::this_thread::sleep_for(pause);
        const auto now = device.commands_in_flight();
        if (now != left)
            idle = 0;
        left = now;
    }
}

} // namespace cldsp
