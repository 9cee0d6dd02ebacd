// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The subcommand that lists the devices, with notes for the one who has to choose.

#include "command.h"
#include "driver_trial.h"
#include "output.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::app {

namespace {

using nlohmann::ordered_json;

//! Other texts than the id with which find_devices() returns this device first.
std::vector<std::string> other_texts(const device_info& device)
{
    std::vector<std::string> texts;
    std::vector<std::string> tried = { "gpu", "cpu", "pocl", device.name };
    if (device.is_host())
        tried.clear();
    for (const auto& text : tried) {
        try {
            if (find_devices(text).front().id() == device.id())
                texts.push_back(text);
        } catch (const std::invalid_argument&) { // no device is of that kind
        }
    }
    return texts;
}

//! Notes that help a person to choose a device.
std::vector<std::string> notes_of(const device_info& device)
{
    if (device.is_host())
        return { "this machine's processor, without OpenCL; always there" };
    std::vector<std::string> notes;
    if (device.is_pocl && device.kind == device_kind::cpu)
        notes.push_back("PoCL: this machine's processor through OpenCL");
    else if (device.kind == device_kind::cpu)
        notes.push_back("this machine's processor through OpenCL");
    if (device.limits.host_unified_memory && device.limits.maps_in_place)
        notes.push_back("works on the host's memory: the transfer zero_copy copies "
                        "nothing");
    else if (device.limits.host_unified_memory)
        notes.push_back("works on the host's memory, but its driver copies what it maps");
    else
        notes.push_back("has its own memory: data are copied there and back");
    if (!device.limits.fma)
        notes.push_back("fma() is no instruction there: kernels round twice");
    if (!device.limits.profiling)
        notes.push_back("tells no times of its commands: the host's clock takes them");
    if (std::min(device.limits.max_work_group_size, device.limits.max_kernel_group) < 64)
        notes.push_back("small work-groups: kernels for large GPUs are left out");
    return notes;
}

ordered_json limits_json(const device_limits& limits)
{
    ordered_json json = { { "compute_units", limits.compute_units },
                          { "max_work_group_size", limits.max_work_group_size },
                          { "max_work_item_sizes", limits.max_work_item_sizes },
                          { "local_memory", limits.local_memory },
                          { "max_buffer", limits.max_buffer },
                          { "max_constant_buffer", limits.max_constant_buffer },
                          { "max_parameter_size", limits.max_parameter_size },
                          { "base_address_alignment", limits.base_address_alignment },
                          { "native_vector_width_float",
                            limits.native_vector_width_float } };
    return json;
}

ordered_json to_json(const device_info& device)
{
    ordered_json json = { { "device", device.id() },
                          { "also", other_texts(device) },
                          { "kind", device_kind_name(device.kind) },
                          { "name", device.name } };
    if (!device.is_host()) {
        json["platform"] = device.platform_name;
        json["vendor"] = device.vendor;
        json["version"] = device.version;
        json["driver"] = device.driver_version;
        json["images"] = device.limits.images;
        json["fp16"] = device.limits.fp16;
        json["fp64"] = device.limits.fp64;
        json["fma"] = device.limits.fma;
        json["host_unified_memory"] = device.limits.host_unified_memory;
        json["clock"] = device.limits.profiling ? "device" : "host";
        json["limits"] = limits_json(device.limits);
    }
    json["notes"] = notes_of(device);
    return json;
}

void print(const device_info& device)
{
    const auto line = [](const std::string& what, const std::string& text) {
        std::cout << "  " << what << std::string(10 - what.size(), ' ') << text << "\n";
    };
    const auto& limits = device.limits;
    std::cout << "device=" << device.id();
    for (const auto& text : other_texts(device))
        std::cout << (text.find(' ') == std::string::npos ? " or " + text
                                                          : " or '" + text + "'");
    std::cout << "\n";
    if (!device.is_host()) {
        line("name", device.name + " (" + device_kind_name(device.kind) + ")");
        line("driver",
             device.platform_name + ", " + device.version + ", driver " +
                 device.driver_version);
        line("limits",
             std::to_string(limits.compute_units) + " compute units, " +
                 std::to_string(limits.max_work_group_size) + " work-items a group, " +
                 bytes_text(static_cast<double>(limits.local_memory)) +
                 " local memory, " + bytes_text(static_cast<double>(limits.max_buffer)) +
                 " a buffer");
        const auto yes = [](bool has) { return has ? "yes" : "no"; };
        line("images",
             std::string(yes(limits.images)) + "; fp16: " + yes(limits.fp16) +
                 "; fp64: " + yes(limits.fp64));
    }
    for (const auto& note : notes_of(device))
        line("note", note);
}

int run(bool json, const std::string& profile)
{
    std::vector<std::string> left_out;
    auto devices = list_devices(told_listing(
        [&](log_level, const std::string& text) { left_out.push_back(text); }));
    for (auto& device : devices)
        if (!device.is_host())
            device.limits = device.limits.lowered(profile);
    if (json) {
        ordered_json all = { { "devices", ordered_json::array() },
                             { "left_out", left_out } };
        for (const auto& device : devices)
            all["devices"].push_back(to_json(device));
        print_json(all);
        return success;
    }
    for (const auto& device : devices) {
        print(device);
        std::cout << "\n";
    }
    for (const auto& text : left_out)
        std::cout << "left out: " << text << "\n";
    const bool gpu = std::any_of(devices.begin(), devices.end(), [](const auto& d) {
        return d.kind == device_kind::gpu;
    });
    if (!gpu)
        std::cout << "There is no GPU here; 'cldsp doctor' says why.\n";
    return success;
}

} // namespace

command add_devices(CLI::App& app)
{
    struct options {
        bool json = false;
        std::string profile;
    };
    const auto asked = std::make_shared<options>();
    auto* parser = app.add_subcommand(
        "devices", "List the devices and the texts that choose them as device=");
    parser->add_flag("--json", asked->json, "Print JSON");
    parser->add_option("--profile",
                       asked->profile,
                       "Show the limits lowered to this profile: " + lowering_profiles());
    return { parser, [asked] { return run(asked->json, asked->profile); } };
}

} // namespace cldsp::app
