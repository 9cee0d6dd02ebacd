// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the lists of devices and variants.

#include "whole_number.h"
#include "without_gil.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

#include <gnuradio/cldsp/devices.h>

namespace {

py::dict as_dict(const gr::cldsp::device_description& device)
{
    py::dict d;
    d["id"] = device.id;
    d["name"] = device.name;
    d["kind"] = device.kind;
    d["platform"] = device.platform;
    d["vendor"] = device.vendor;
    d["version"] = device.version;
    d["driver"] = device.driver;
    d["compute_units"] = device.compute_units;
    d["max_work_group_size"] = device.max_work_group_size;
    d["local_memory"] = device.local_memory;
    d["max_buffer"] = device.max_buffer;
    return d;
}

py::dict as_dict(const gr::cldsp::variant_description& variant)
{
    py::dict d;
    d["name"] = variant.name;
    d["description"] = variant.description;
    d["host"] = variant.host;
    d["production"] = variant.production;
    d["algorithm"] = variant.algorithm;
    return d;
}

py::dict as_dict(const gr::cldsp::sample_type_description& type)
{
    py::dict d;
    d["name"] = type.name;
    d["letters"] = type.letters;
    d["description"] = type.description;
    d["item_size"] = type.item_size;
    d["complex"] = type.is_complex;
    d["packed"] = type.is_packed;
    d["number"] = type.number;
    d["bits"] = type.bits;
    d["zero"] = type.zero;
    d["one"] = type.one;
    return d;
}

template <class T>
py::list as_dicts(const std::vector<T>& items)
{
    py::list list;
    for (const auto& item : items)
        list.append(as_dict(item));
    return list;
}

} // namespace

void bind_devices(py::module& m)
{
    m.def(
        "devices",
        [] { return as_dicts(without_gil([] { return gr::cldsp::devices(); })); },
        R"(Every OpenCL device of this machine, and the host as the last entry.

Returns a list of dicts with the keys id ("P:D" or "host"), name, kind ("host", "cpu",
"gpu" or "accelerator"), platform, vendor, version, driver, compute_units,
max_work_group_size (work-items), local_memory (bytes in a work-group) and max_buffer
(bytes). The id, or a part of the name, is what the blocks take as device. A machine
without OpenCL has just the host.)");

    m.def(
        "list_variants",
        [] { return as_dicts(gr::cldsp::list_variants()); },
        R"(Every kernel variant that the blocks take, from the plainest to the fastest.

Returns a list of dicts with the keys name, description, host (runs on the host, not through
OpenCL), production (takes every input type; the others are for comparison) and algorithm
("direct" or "fast_convolution").)");

    m.def(
        "sample_types",
        [] { return as_dicts(gr::cldsp::sample_types()); },
        R"(Every type of the input items of filters and banks.

Returns a list of dicts with the keys name, letters (in the names of blocks, before the letter of
the taps), description, item_size (bytes), complex (an item is the pair I, Q, else one real
number), packed (the pair is one little-endian integer, whose low half is I), number ("float",
"signed" or "unsigned"), bits (of a number), zero and one. A number v in the stream has the
value (v - zero) / one.)");

    m.def(
        "inject_failure",
        [](const std::string& call, const whole_number& after) {
            const int calls = after.as<int>("after", 0);
            without_gil([&] { gr::cldsp::inject_failure(call, calls); });
        },
        py::arg("call"),
        py::arg("after") = 0,
        R"(For tests: lets a call into OpenCL fail as if the driver had refused it.

Acts on every device in use by a block of this process. The blocks concerned go on on the
host at the same sample, and fell_back() tells it.

Args:
    call: "enqueue", "allocate" or "build"; "none" ends it
    after: how many such calls still succeed, 0 or more

Raises:
    ValueError: for another call or a negative number)");
}
