// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes one context for each device, and lowers the limits of devices to a profile.

#include "base/engine_threads.h"
#include "opencl/program_cache.h"

#include <cldsp/context.h>
#include <cldsp/told_lines.h>
#include <cldsp/wisdom.h>

#include <utility>

namespace cldsp {

context_registry::context_registry(context_options options)
    : d_options(std::move(options)),
      d_wisdom(std::make_unique<class wisdom>(
          d_options.wisdom_file ? program_cache::folder_of(d_options) : "",
          d_options.log,
          lock_waiting::default_max_seconds,
          d_options.owner)),
      d_told(std::make_unique<told_lines>())
{
}

context_registry::~context_registry() = default;

std::shared_ptr<context> context_registry::get(const device_info& device)
{
    // The lock is held while the driver opens the device.
    return at_normal_priority([&] {
        const std::lock_guard<std::mutex> guard(d_mutex);
        auto& entry = d_contexts[device.id()];
        if (!entry)
            entry = std::make_shared<context>(device, d_options);
        return entry;
    });
}

device_listing context_registry::listing(const logger& log) const
{
    device_listing how;
    how.log = log;
    how.drivers = d_options.drivers;
    how.cache_folder = program_cache::folder_of(d_options);
    return how;
}

std::vector<device_info> context_registry::find_devices(const std::string& text,
                                                        const device_listing& how) const
{
    auto devices = cldsp::find_devices(text, how);
    for (auto& device : devices)
        device = lowered(std::move(device));
    return devices;
}

std::vector<device_info> context_registry::find_devices(const std::string& text,
                                                        const logger& log) const
{
    return find_devices(text, listing(log));
}

device_info context_registry::lowered(device_info device) const
{
    if (!device.is_host())
        device.limits = device.limits.lowered(d_options.profile);
    return device;
}

std::vector<std::shared_ptr<context>> context_registry::contexts() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    std::vector<std::shared_ptr<context>> all;
    for (const auto& entry : d_contexts)
        if (entry.second) // null: the device could not be opened
            all.push_back(entry.second);
    return all;
}

} // namespace cldsp
