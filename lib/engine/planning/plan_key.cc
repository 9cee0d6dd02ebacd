/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "planning/plan_key.h"

#include "storage/host_identity.h"
#include "opencl/kernel_source.h"
#include "storage/program_file.h"
#include "fft/vkfft_plan.h"

#include <set>

namespace cldsp {

namespace {

//! A hash of every kernel file as it would be built now.
std::string kernels_hash(const std::string& folder)
{
    std::string all;
    for (const auto& name : kernel_names())
        all += kernel_source(name, folder);
    return hash_text(all);
}

} // namespace

std::string plan_key(const plan_request& request,
                     const std::vector<plan_candidate>& candidates,
                     const context_registry& registry)
{
    std::set<std::string> devices;
    for (const auto& c : candidates)
        devices.insert(c.device.is_host() ? "host " + host_identity()
                                          : c.device.id() + " " + c.device.name + " (" +
                                                c.device.driver_version + ")");
    std::string key = request.problem;
    bool opencl = false;
    for (const auto& c : candidates)
        opencl = opencl || !c.device.is_host();
    if (opencl)
        key += " profile=" + registry.options().profile +
               " kernels=" + kernels_hash(registry.options().kernel_path) +
               " vkfft=" + vkfft_plan::version();
    for (const auto& device : devices)
        key += " | " + device;
    return key;
}

} // namespace cldsp
