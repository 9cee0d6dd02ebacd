// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists devices and kernel variants, and makes calls of a device fail in tests.

#include "block_support.h"
#include <gnuradio/cldsp/devices.h>
#include <cldsp/background_thread.h>
#include <cldsp/errors.h>

namespace gr {
namespace cldsp {

namespace {

::cldsp::injected_call injected_call_of(const std::string& call)
{
    if (call == "none")
        return ::cldsp::injected_call::none;
    if (call == "enqueue")
        return ::cldsp::injected_call::enqueue;
    if (call == "allocate")
        return ::cldsp::injected_call::allocate;
    if (call == "build")
        return ::cldsp::injected_call::build;
    ::cldsp::throw_invalid(
        "call", "\"" + call + "\"", "enqueue, allocate, build or none");
}

} // namespace

std::vector<device_description> devices()
{
    std::vector<device_description> descriptions;
    for (const auto& device :
         ::cldsp::list_devices(registry().listing(registry().options().log)))
        descriptions.push_back({ device.id(),
                                 device.name,
                                 ::cldsp::device_kind_name(device.kind),
                                 device.platform_name,
                                 device.vendor,
                                 device.version,
                                 device.driver_version,
                                 device.limits.compute_units,
                                 device.limits.max_work_group_size,
                                 device.limits.local_memory,
                                 device.limits.max_buffer });
    return descriptions;
}

std::vector<variant_description> list_variants()
{
    std::vector<variant_description> descriptions;
    for (const auto& variant : ::cldsp::freq_xlating_fir_variants())
        descriptions.push_back({ variant.name,
                                 variant.description,
                                 variant.host,
                                 variant.production,
                                 variant.algorithm });
    return descriptions;
}

std::vector<sample_type_description> sample_types()
{
    std::vector<sample_type_description> descriptions;
    for (const auto type : ::cldsp::all_sample_types()) {
        const auto& format = ::cldsp::item_format_of(type);
        descriptions.push_back({ format.name,
                                 format.letters,
                                 format.description,
                                 format.bytes,
                                 format.is_complex,
                                 format.is_packed,
                                 format.is_float    ? "float"
                                 : format.is_signed ? "signed"
                                                    : "unsigned",
                                 format.bits,
                                 format.zero,
                                 format.one });
    }
    return descriptions;
}

void end_planning()
{
    ::cldsp::background_thread::planning().end();
    ::cldsp::background_thread::tuning().end();
}

void inject_failure(const std::string& call, int after)
{
    const auto injected = injected_call_of(call);
    if (after < 0)
        ::cldsp::throw_invalid("after", std::to_string(after), "0 or more");
    for (const auto& context : registry().contexts())
        context->inject_failure(injected, after);
}

} // namespace cldsp
} // namespace gr
