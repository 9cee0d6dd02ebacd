/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/roofs.h"
#include "probe/run.h"
#include <exception>
#include <iterator>

namespace gr {
namespace cldsp {

void probe_roofs::add(const std::string& device, const ::cldsp::roofline& roof)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    d_roofs[device] = roof;
    d_last = device;
}

std::optional<::cldsp::roofline> probe_roofs::find(const std::string& device)
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    const auto known = d_roofs.find(device);
    if (known != d_roofs.end())
        return known->second;
    auto& roof = d_roofs[device];
    for (const auto& candidate : ::cldsp::find_devices("auto")) {
        if (candidate.name != device)
            continue;
        try {
            roof = known_roofline(candidate);
        } catch (const std::exception&) { // a folder of kernels without this one
        }
        break;
    }
    return roof;
}

void probe_roofs::look_again()
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    for (auto it = d_roofs.begin(); it != d_roofs.end();)
        it = it->second ? std::next(it) : d_roofs.erase(it);
}

std::string probe_roofs::last() const
{
    const std::lock_guard<std::mutex> guard(d_mutex);
    return d_last;
}

} // namespace cldsp
} // namespace gr
