// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the options of a filter, and names what they permit where one is wrong.

#include "filter/variants.h"

#include "base/text_stream.h"
#include "filter/filter_variant.h"

#include <cldsp/errors.h>

#include <utility>

namespace cldsp {

namespace {

//! The text "one of auto" and the names of the variants for which \p fits is true.
template <class Fits>
std::string one_of_variants(const Fits& fits)
{
    std::string known = "one of auto";
    for (const auto& variant : freq_xlating_fir_variants())
        if (fits(variant))
            known += ", " + variant.name;
    return known;
}

void check_variant(const plan_options& options, sample_type input)
{
    if (options.variant == "auto")
        return;
    const auto* variant = find_variant(options.variant);
    const std::string value = "'" + options.variant + "'";
    for (const auto* one : filter_variants())
        if (options.variant == one->former_name())
            throw_invalid("variant", value, "'" + one->name + "', its new name");
    if (!variant)
        throw_invalid(
            "variant", value, one_of_variants([](const auto&) { return true; }));
    if (options.algorithm != "auto" && variant->algorithm != options.algorithm)
        throw_invalid("variant",
                      value,
                      one_of_variants([&](const variant_info& v) {
                          return v.algorithm == options.algorithm;
                      }) + " for algorithm '" +
                          options.algorithm + "'");
    if (input != sample_type::fc32 && !variant->production)
        throw_invalid(
            "variant",
            value,
            one_of_variants([](const variant_info& v) { return v.production; }) +
                " for " + sample_type_name(input) + " items");
}

} // namespace

void check_plan_options(const plan_options& options, sample_type input)
{
    if (options.algorithm != "auto" && options.algorithm != "direct" &&
        options.algorithm != "fast_convolution")
        throw_invalid("algorithm",
                      "'" + options.algorithm + "'",
                      "one of auto, direct, fast_convolution");
    check_variant(options, input);
    if (options.transfer != "auto" && options.transfer != "copy" &&
        options.transfer != "mapped" && options.transfer != "zero_copy")
        throw_invalid("transfer",
                      "'" + options.transfer + "'",
                      "one of auto, copy, mapped, zero_copy");
    check_accuracy(options.accuracy);
}

void check_accuracy(double accuracy)
{
    if (!(accuracy >= 0 && accuracy <= 0.1)) // false for a NaN, too
        throw_invalid("accuracy", number_text(accuracy), "0 to 0.1");
}

bool plan_options::allows(const std::string& variant_name) const
{
    if (variant != "auto")
        return variant == variant_name;
    const auto* info = find_variant(variant_name);
    return info && info->production &&
           (algorithm == "auto" || algorithm == info->algorithm);
}

bool plan_options::allows_on_device(const std::string& variant_name,
                                    const device_info& device_) const
{
    return allows(variant_name) &&
           (device_.kind != device_kind::cpu || variant == variant_name ||
            (algorithm == "fast_convolution" && device != "auto"));
}

std::string plan_options::key() const
{
    text_stream text;
    text << "device=" << device << " algorithm=" << algorithm << " variant=" << variant
         << " transfer=" << transfer << " accuracy=" << accuracy;
    return text.str();
}

namespace {

//! The device to look for: the host alone for a variant of the host.
std::string open_device(const plan_options& options)
{
    const auto* named = find_variant(options.variant);
    return named && named->host ? host_instead_of_auto(options.device) : options.device;
}

} // namespace

std::vector<device_info> open_devices(const plan_options& options,
                                      const context_registry& registry)
{
    auto how = registry.listing(options.log);
    how.at_once = options.at_once;
    how.stopped = options.stopped;
    return find_devices(open_device(options), how);
}

bool are_devices_known(const plan_options& options, const context_registry& registry)
{
    return are_devices_known(open_device(options), registry.listing(options.log));
}

std::vector<plan_place> open_places(const plan_options& options,
                                    const context_registry& registry)
{
    const auto* named = find_variant(options.variant);
    std::vector<plan_place> places;
    for (auto& device : open_devices(options, registry)) {
        if (named && named->host != device.is_host())
            continue;
        if (device.is_host())
            places.push_back({ std::move(device), "none" });
        else if (options.transfer != "auto")
            places.push_back({ std::move(device), options.transfer });
        else if (!shares_memory(device))
            // On such a device "zero_copy" is "mapped" without the host's copy of the
            // input, if the driver pins the stream's memory.
            places.push_back({ std::move(device), "zero_copy" });
        else
            for (const std::string transfer : { "zero_copy", "mapped", "copy" })
                if (transfer != "mapped" || device.limits.maps_in_place)
                    places.push_back({ device, transfer });
    }
    if (places.empty() && options.device != "auto")
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      one_of_variants(
                          [&](const variant_info& v) { return v.host != named->host; }) +
                          " on device '" + options.device + "'");
    return places;
}

const std::vector<variant_info>& freq_xlating_fir_variants()
{
    static const auto& infos = *new std::vector<variant_info>([] {
        std::vector<variant_info> all;
        for (const auto* variant : filter_variants())
            all.push_back(*variant);
        return all;
    }());
    return infos;
}

const filter_variant* find_variant(const std::string& name)
{
    for (const auto* variant : filter_variants())
        if (variant->name == name)
            return variant;
    return nullptr;
}

} // namespace cldsp
