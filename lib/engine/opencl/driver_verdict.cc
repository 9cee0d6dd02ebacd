// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Writes a verdict on the drivers as JSON, and reads it.

#include "base/json_value.h"

#include <cldsp/drivers.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace cldsp {

namespace {

using array = json_value::array;
using object = json_value::object;

std::string text_in(const json_value& value)
{
    const auto text = value.text();
    return text ? std::string(*text) : "";
}

std::size_t count_in(const json_value& value)
{
    return static_cast<std::size_t>(value.count().value_or(0));
}

bool flag_in(const json_value& value) { return value.boolean().value_or(false); }

object json_of(const device_limits& limits)
{
    return { { "max_work_group_size", limits.max_work_group_size },
             { "max_work_item_sizes",
               array{ limits.max_work_item_sizes[0],
                      limits.max_work_item_sizes[1],
                      limits.max_work_item_sizes[2] } },
             { "local_memory", limits.local_memory },
             { "max_buffer", limits.max_buffer },
             { "max_constant_buffer", limits.max_constant_buffer },
             { "max_parameter_size", limits.max_parameter_size },
             { "base_address_alignment", limits.base_address_alignment },
             { "compute_units", limits.compute_units },
             { "native_vector_width_float", limits.native_vector_width_float },
             { "images", limits.images },
             { "fp16", limits.fp16 },
             { "fp64", limits.fp64 },
             { "host_unified_memory", limits.host_unified_memory },
             { "out_of_order", limits.out_of_order },
             { "fma", limits.fma },
             { "fast_local_memory", limits.fast_local_memory },
             { "profiling", limits.profiling },
             { "maps_in_place", limits.maps_in_place } };
}

device_limits limits_in(const json_value& value)
{
    device_limits limits;
    limits.max_work_group_size = count_in(value["max_work_group_size"]);
    const auto& sizes = value["max_work_item_sizes"].values();
    for (std::size_t i = 0; i < std::min<std::size_t>(3, sizes.size()); i++)
        limits.max_work_item_sizes[i] = count_in(sizes[i]);
    limits.local_memory = count_in(value["local_memory"]);
    limits.max_buffer = count_in(value["max_buffer"]);
    limits.max_constant_buffer = count_in(value["max_constant_buffer"]);
    limits.max_parameter_size = count_in(value["max_parameter_size"]);
    limits.base_address_alignment = count_in(value["base_address_alignment"]);
    limits.compute_units = count_in(value["compute_units"]);
    limits.native_vector_width_float = count_in(value["native_vector_width_float"]);
    limits.images = flag_in(value["images"]);
    limits.fp16 = flag_in(value["fp16"]);
    limits.fp64 = flag_in(value["fp64"]);
    limits.host_unified_memory = flag_in(value["host_unified_memory"]);
    limits.out_of_order = flag_in(value["out_of_order"]);
    limits.fma = flag_in(value["fma"]);
    limits.fast_local_memory = flag_in(value["fast_local_memory"]);
    limits.profiling = flag_in(value["profiling"]);
    limits.maps_in_place = flag_in(value["maps_in_place"]);
    return limits;
}

object json_of(const device_info& device)
{
    return { { "kind", device_kind_name(device.kind) },
             { "platform", device.platform },
             { "index", device.index },
             { "name", device.name },
             { "platform_name", device.platform_name },
             { "vendor", device.vendor },
             { "version", device.version },
             { "driver_version", device.driver_version },
             { "is_pocl", device.is_pocl },
             { "compute_capability", device.compute_capability },
             { "limits", json_of(device.limits) } };
}

device_info device_in(const json_value& value)
{
    device_info device;
    const auto kind = text_in(value["kind"]);
    device.kind = device_kind::accelerator;
    for (const auto one : { device_kind::cpu, device_kind::gpu })
        if (kind == device_kind_name(one))
            device.kind = one;
    device.platform = count_in(value["platform"]);
    device.index = count_in(value["index"]);
    device.name = text_in(value["name"]);
    device.platform_name = text_in(value["platform_name"]);
    device.vendor = text_in(value["vendor"]);
    device.version = text_in(value["version"]);
    device.driver_version = text_in(value["driver_version"]);
    device.is_pocl = flag_in(value["is_pocl"]);
    device.compute_capability =
        static_cast<int>(value["compute_capability"].integer().value_or(0));
    device.limits = limits_in(value["limits"]);
    return device;
}

object json_of(const icd_entry& icd)
{
    return { { "file", icd.file }, { "library", icd.library } };
}

icd_entry icd_in(const json_value& value)
{
    return { text_in(value["file"]), text_in(value["library"]), "" };
}

object json_of(const failed_driver& driver)
{
    return { { "icd", json_of(driver.icd) },
             { "how", driver.how },
             { "when", driver.when },
             { "late", driver.late } };
}

failed_driver failed_driver_in(const json_value& value)
{
    return { icd_in(value["icd"]),
             text_in(value["how"]),
             text_in(value["when"]),
             flag_in(value["late"]) };
}

object json_of(const unusable_device& device)
{
    return { { "device", device.device }, { "why", device.why } };
}

unusable_device unusable_device_in(const json_value& value)
{
    return { text_in(value["device"]), text_in(value["why"]) };
}

object json_of(const seen_file& file)
{
    return { { "path", file.path }, { "size", file.size }, { "time", file.time } };
}

seen_file seen_file_in(const json_value& value)
{
    return { text_in(value["path"]),
             value["size"].count().value_or(0),
             value["time"].integer().value_or(0) };
}

template <class Values>
array json_of_all(const Values& values)
{
    array all;
    for (const auto& value : values)
        all.emplace_back(json_of(value));
    return all;
}

template <class Read>
auto all_in(const json_value& value, const Read& read)
{
    std::vector<decltype(read(value))> all;
    for (const auto& one : value.values())
        all.push_back(read(one));
    return all;
}

} // namespace

std::string failed_driver::text() const
{
    const auto name = icd.name();
    return (name.empty() ? "a driver" : "the driver of '" + name + "'") + " " + how;
}

std::string driver_verdict::text() const
{
    return json_value(object{ { "devices", json_of_all(devices) },
                              { "unusable", json_of_all(unusable) },
                              { "failed", json_of_all(failed) },
                              { "only", json_of_all(only) },
                              { "files", json_of_all(files) },
                              { "time", time } })
        .print();
}

std::optional<driver_verdict> driver_verdict::parse(const std::string& text)
{
    const auto value = json_value::parse(text);
    if (!value || !(*value)["time"].integer())
        return std::nullopt;
    driver_verdict verdict;
    verdict.devices = all_in((*value)["devices"], device_in);
    verdict.unusable = all_in((*value)["unusable"], unusable_device_in);
    verdict.failed = all_in((*value)["failed"], failed_driver_in);
    verdict.only = all_in((*value)["only"], icd_in);
    verdict.files = all_in((*value)["files"], seen_file_in);
    verdict.time = *(*value)["time"].integer();
    return verdict;
}

} // namespace cldsp
