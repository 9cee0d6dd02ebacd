// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The fuzzed input names devices, profiles, algorithms, folders or tuned values.

// The fuzzed input is a text that names devices, profiles, algorithms, folders or tuned
// values.

#include "fuzz_support.h"

#include "filter/variants.h"
#include "opencl/kernel_source.h"

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/tuning_space.h>

#include <cmath>
#include <cstring>

namespace {

const cldsp::context_registry& registry()
{
    static auto& all = *new cldsp::context_registry([] {
        cldsp::context_options options;
        options.disk_cache = options.wisdom_file = false;
        options.drivers = cldsp::driver_policy::trust;
        return options;
    }());
    return all;
}

void name_device(fuzz::bytes& input)
{
    const std::string text = input.rest();
    fuzz::taken([&] {
        fuzz::require(!registry().find_devices(text).empty(), "a device taken is there");
    });
}

void name_profile(fuzz::bytes& input)
{
    const std::string text = input.rest();
    fuzz::taken([&] { cldsp::device_limits{}.lowered(text); });
}

void name_plan(fuzz::bytes& input)
{
    const auto type =
        static_cast<cldsp::sample_type>(input.byte() % cldsp::all_sample_types().size());
    const std::uint64_t bits = input.number(8);
    cldsp::plan_options options{};
    std::memcpy(&options.accuracy, &bits, sizeof(bits));
    options.device = input.text();
    options.algorithm = input.text();
    options.variant = input.text();
    options.transfer = input.text();
    if (fuzz::taken([&] { cldsp::check_plan_options(options, type); }))
        fuzz::require(options.accuracy >= 0 && options.accuracy <= 0.1,
                      "an accuracy taken is in its range");
    fuzz::taken([&] { cldsp::open_places(options, registry()); });
    fuzz::require(!options.key().empty(), "options have a key");
}

void name_folder(fuzz::bytes& input)
{
    // A variable ends at a zero byte, and no folder here may block as a device file
    // would.
    std::string folder = input.rest();
    folder = folder.substr(0, folder.find('\0'));
    fuzz::taken([&] { cldsp::kernel_source("freq_xlating_fir", "/nowhere/" + folder); });
    fuzz::taken([&] { cldsp::kernel_source(folder, ""); });
}

void search_space(fuzz::bytes& input)
{
    std::vector<cldsp::tuning_parameter> parameters(input.byte() % 5);
    for (auto& parameter : parameters) {
        parameter.name = input.text();
        parameter.values.resize(input.byte() % 9);
        for (auto& value : parameter.values)
            value = static_cast<std::int64_t>(input.number(1 + value % 8));
    }
    const std::int64_t bound = input.byte();
    fuzz::taken([&] {
        const cldsp::tuning_space space(
            parameters, { { "a sum", [&](const cldsp::tuning_point& point) {
                               std::uint64_t sum = 0;
                               for (const auto value : point.in_order())
                                   sum += static_cast<std::uint64_t>(value);
                               return sum >= static_cast<std::uint64_t>(bound);
                           } } });
        const auto base = space.at(input.number(4) % space.size());
        cldsp::tuning_values values;
        while (!input.empty()) {
            const std::string name = input.text();
            values[name] = static_cast<std::int64_t>(input.number(8));
        }
        const auto found = space.find(values, base);
        fuzz::require(found.has_value() == space.why_not(values, base).empty(),
                      "what is not found has a reason");
        if (found)
            fuzz::require(space.index_of(*found).has_value(), "what is found is there");
        for (const auto index : space.neighbours(*space.index_of(base)))
            fuzz::require(index < space.size(), "neighbours are in the space");
    });
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    // No driver is loaded, because the driver would be fuzzed instead of the engine.
    ::setenv("OCL_ICD_VENDORS", "/nowhere", 1);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr void (*uses[])(fuzz::bytes&) = {
        name_device, name_profile, name_plan, name_folder, search_space
    };
    fuzz::bytes input(data, size);
    uses[input.byte() % (sizeof(uses) / sizeof(*uses))](input);
    return 0;
}
