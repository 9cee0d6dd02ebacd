// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures the peak rates of a device, or takes them from the wisdom.

#include <cldsp/errors.h>
#include <cldsp/roofline.h>
#include <cldsp/wisdom.h>

#include "base/hash.h"
#include "base/json_value.h"
#include "base/thread_pool.h"
#include "opencl/kernel_source.h"
#include "roofline/roofline_steps.h"
#include "storage/host_identity.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cldsp {

namespace {

const std::string kind = "roofline";

//! The key of a remembered answer. It names everything that the answer depends on.
std::string
key_of(const device_info& device, const context_registry& registry, unsigned threads)
{
    if (device.is_host())
        return host_identity() + ", " + std::to_string(threads) + " threads";
    const auto& options = registry.options();
    std::string key = device.lasting_name() + " (" + device.driver_version + ")";
    if (device.kind == device_kind::cpu)
        key += " on " + host_identity();
    return key + " profile=" + options.profile +
           " kernels=" + hash_text(kernel_source("roofline", options.kernel_path));
}

std::optional<roofline> remembered(const std::string& key, context_registry& registry)
{
    const std::string known = registry.wisdom().find(kind, key);
    if (known.empty())
        return std::nullopt;
    try {
        return roofline::from_json(known);
    } catch (const std::invalid_argument&) { // not a text that this program wrote
        return std::nullopt;
    }
}

void check(const roofline_options& options)
{
    if (!(options.seconds >= 0.01 && options.seconds <= 600))
        throw_invalid("seconds", number_text(options.seconds), "0.01 to 600");
}

} // namespace

const std::vector<roofline_figure>& roofline_figures()
{
    using r = roofline;
    static const auto& figures = *new std::vector<roofline_figure>{
        { "fp32", "FLOP/s", "single precision, multiply-add counts two", &r::fp32 },
        { "fp16", "FLOP/s", "half precision, multiply-add counts two", &r::fp16 },
        { "int32", "op/s", "32-bit integers, multiply-add counts two", &r::int32 },
        { "popcount", "word/s", "32-bit words, bits counted", &r::popcount },
        { "global_read", "B/s", "global memory, read", &r::global_read },
        { "global_write", "B/s", "global memory, written", &r::global_write },
        { "global_copy", "B/s", "global memory, read and written", &r::global_copy },
        { "cache", "B", "largest cache of a CPU", &r::cache },
        { "local", "B/s", "local memory or nearest cache, read", &r::local },
        { "host_to_device", "B/s", "to the device, copied", &r::host_to_device },
        { "device_to_host", "B/s", "from the device, copied", &r::device_to_host },
        { "host_to_device_mapped",
          "B/s",
          "to the device, mapped",
          &r::host_to_device_mapped },
        { "device_to_host_mapped",
          "B/s",
          "from the device, mapped",
          &r::device_to_host_mapped },
        { "launch_latency", "s", "a kernel, from enqueue to end", &r::launch_latency },
        { "launch_interval", "s", "a kernel in a full queue", &r::launch_interval },
    };
    return figures;
}

double roofline::bandwidth(double bytes) const
{
    const double far = std::max(global_read, global_copy);
    return bytes <= cache ? std::max(far, local) : far;
}

double roofline::attainable(double intensity, double bytes) const
{
    const double by_memory = intensity * bandwidth(bytes);
    return by_memory > 0 ? std::min(fp32, by_memory) : fp32;
}

std::string roofline::to_json() const
{
    json_value::object all = { { "device", device }, { "threads", threads } };
    for (const auto& figure : roofline_figures())
        all[figure.name] = this->*figure.value;
    return json_value(std::move(all)).print();
}

roofline roofline::from_json(const std::string& text)
{
    const auto all = json_value::parse(text).value_or(json_value());
    if (all.members().count("fp32") == 0)
        throw std::invalid_argument("this text is no roofline: " + text);
    roofline result;
    result.device = all["device"].text().value_or("");
    result.threads = static_cast<unsigned>(all["threads"].count().value_or(0));
    for (const auto& figure : roofline_figures())
        if (const auto value = all[figure.name].number(); value && std::isfinite(*value))
            result.*figure.value = std::max(0.0, *value);
    return result;
}

std::optional<roofline> remembered_roofline(const device_info& device,
                                            context_registry& registry)
{
    const unsigned threads = device.is_host() ? thread_pool::count_for(0) : 0;
    return remembered(key_of(device, registry, threads), registry);
}

roofline measure_roofline(const device_info& device,
                          context_registry& registry,
                          const roofline_options& options)
{
    check(options);
    roofline_options chosen = options;
    chosen.threads = device.is_host() ? thread_pool::count_for(options.threads) : 0;
    const std::string key = key_of(device, registry, chosen.threads);
    if (!options.again)
        if (const auto known = remembered(key, registry))
            return *known;
    const roofline result = device.is_host()
                                ? measure_host_roofline(chosen)
                                : measure_opencl_roofline(registry.get(device), chosen);
    registry.wisdom().store(kind, key, result.to_json());
    return result;
}

double measure_fp32_peak(const device_info& device,
                         context_registry& registry,
                         const roofline_options& options)
{
    check(options);
    return device.is_host() ? measure_host_fp32(options)
                            : measure_opencl_fp32(registry.get(device), options);
}

} // namespace cldsp
