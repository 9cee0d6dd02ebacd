// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the function that correlates arrays of antennas.

#include "whole_number.h"
#include "without_gil.h"
#include <gnuradio/cldsp/correlate.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace {

constexpr const char* correlate_doc =
    R"(The visibilities of antennas: the products of each pair, summed over integrations.

Visibility (i, j), for antennas i >= j counted from 0, is the sum of x_i[t] conj(x_j[t]) over
the samples t of an integration. It is element i (i + 1) / 2 + j: the lower triangle of the
matrix X X^H, row by row. So R[np.tril_indices(N)] = visibilities fills that triangle. The
blocks correlator_* compute the same of streams. Where the device is left open, the host
computes the first calls of a process, some seconds of work, at once; after that the first call
of about a size measures. Other Python threads run meanwhile.

Args:
    samples: NumPy array of N antennas by T samples of type complex64, or N by T by 2 of type
        int8, pairs (I, Q) that count as v / 128; 1 to 4096 antennas
    integration: the samples of an integration, 1 to T; None: all samples
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name

Returns:
    a complex64 array of N (N + 1) / 2 visibilities; with integration, of as many for each of
    T // integration integrations. The samples after the last whole one are left out

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

[[noreturn]] void refuse_argument(const std::string& name,
                                  const std::string& value,
                                  const std::string& range)
{
    throw py::value_error("parameter '" + name + "' is " + value + ", but must be " +
                          range);
}

std::string text_of(const py::handle& object)
{
    return py::str(object).cast<std::string>();
}

//! The array, or a copy of it if its rows do not follow each other without gaps.
py::array checked_samples(const py::object& object, bool& bytes)
{
    const std::string name = "samples";
    const std::string range =
        "a NumPy array of N by T complex64, or N by T by 2 int8, with N and T above 0";
    if (!py::isinstance<py::array>(object))
        refuse_argument(name, text_of(py::type::of(object)), range);
    const auto array = py::reinterpret_borrow<py::array>(object);
    const auto type = text_of(array.dtype());
    bytes = type == "int8";
    const bool fits = bytes ? array.ndim() == 3 && array.shape(2) == 2
                            : type == "complex64" && array.ndim() == 2;
    if (!fits || array.size() == 0)
        refuse_argument(
            name, "an array of " + type + ", " + text_of(array.attr("shape")), range);
    return py::module::import("numpy")
        .attr("require")(array, py::none(), py::make_tuple("C", "A"))
        .cast<py::array>();
}

template <class T>
py::array correlate_array(const py::array& samples,
                          std::optional<std::int64_t> integration,
                          const std::string& device)
{
    gr::cldsp::correlate_args<T> args;
    args.antennas = static_cast<std::size_t>(samples.shape(0));
    args.samples = static_cast<std::size_t>(samples.shape(1));
    args.in = static_cast<const T*>(samples.data());
    args.leading = args.samples;
    if (integration && (*integration < 1 || *integration > samples.shape(1)))
        refuse_argument("integration",
                        std::to_string(*integration),
                        "1 to " + std::to_string(samples.shape(1)) + ", the samples");
    args.integration = static_cast<std::uint64_t>(integration.value_or(samples.shape(1)));
    if (args.antennas > 4096)
        refuse_argument("samples",
                        "an array of " + std::to_string(args.antennas) + " antennas",
                        "one of 1 to 4096");
    const auto triangle =
        static_cast<py::ssize_t>(args.antennas * (args.antennas + 1) / 2);
    std::vector<py::ssize_t> shape;
    if (integration)
        shape.push_back(static_cast<py::ssize_t>(args.samples / args.integration));
    shape.push_back(triangle);
    py::array_t<gr_complex> out(shape);
    args.out = out.mutable_data();
    without_gil([&] { gr::cldsp::correlate(args, device); });
    return std::move(out);
}

py::array correlate(const py::object& object,
                    const std::optional<whole_number>& whole,
                    const std::string& device)
{
    std::optional<std::int64_t> integration;
    if (whole)
        integration = whole->as<std::int64_t>("integration", 1);
    bool bytes = false;
    const auto samples = checked_samples(object, bytes);
    return bytes ? correlate_array<gr::cldsp::cs8>(samples, integration, device)
                 : correlate_array<gr_complex>(samples, integration, device);
}

} // namespace

void bind_correlate(py::module& m)
{
    m.def("correlate",
          &correlate,
          py::arg("samples"),
          py::arg("integration") = py::none(),
          py::arg("device") = "auto",
          correlate_doc);
}
