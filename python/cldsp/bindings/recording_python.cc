// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the reader of recordings that the command has.

#include "without_gil.h"
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "channelize/file_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <regex>
#include <stdexcept>
#include <string>

namespace py = pybind11;

namespace {

using cldsp::app::file_source;
using cldsp::app::source_wish;

std::unique_ptr<file_source> open_recording(const std::string& file,
                                            const std::string& type,
                                            std::optional<double> rate,
                                            std::optional<double> center)
{
    try {
        return without_gil([&] {
            return std::make_unique<file_source>(source_wish{ file, type, rate, center });
        });
    } catch (const std::invalid_argument& e) {
        // The command's options are arguments here.
        static const std::regex option("--(type|rate|center)\\b");
        throw std::invalid_argument(std::regex_replace(e.what(), option, "$1"));
    }
}

std::size_t item_size(const file_source& recording)
{
    return cldsp::sample_size(recording.type());
}

std::size_t read_into(file_source& recording, const py::buffer& buffer)
{
    const py::buffer_info room = buffer.request(true);
    py::ssize_t stride = room.itemsize;
    for (py::ssize_t axis = room.ndim - 1; axis >= 0; axis--) {
        const auto k = static_cast<std::size_t>(axis);
        if (room.shape[k] > 1 && room.strides[k] != stride)
            throw std::invalid_argument(
                "parameter 'buffer' has gaps or another order, but must be contiguous");
        stride *= room.shape[k];
    }
    const auto bytes = static_cast<std::size_t>(room.size * room.itemsize);
    return without_gil(
        [&] { return recording.read(room.ptr, bytes / item_size(recording)); });
}

template <class T>
py::object value_or_none(const std::optional<T>& value)
{
    return value ? py::cast(*value) : py::none();
}

} // namespace

void bind_recording(py::module& m)
{
    py::class_<file_source>(m,
                            "recording",
                            R"(The samples of a recording, one piece after the other.

Reads what the command "cldsp channelize" reads: SigMF, either file of the pair or an archive; WAV,
RF64 and BW64, of which stereo is I and Q; and raw samples, whose type is the ending of the name,
such as .cu8 or .cf32. Rate, centre and time come from the file, or from its name, if it is like
those of gqrx, SDR#, HDSDR, SDRuno, SDRconnect, SDR++ or rtl_433.

Args:
    file: its name, or "-" for the standard input
    type: of raw samples, as sample_types() names it ("cf32" is fc32), a datatype of SigMF, "wav" or
        "sigmf"; "" is by the name
    rate: replaces that of the file, in Hz; None takes the file's
    center: replaces that of the file, in Hz; None takes the file's

Raises:
    ValueError: the type or the rate is not known, or wrong
    RuntimeError: the file cannot be read, or is damaged)")
        .def(py::init(&open_recording),
             py::arg("file"),
             py::arg("type") = "",
             py::arg("rate") = py::none(),
             py::arg("center") = py::none())
        .def_property_readonly(
            "type",
            [](const file_source& r) { return cldsp::sample_type_name(r.type()); },
            "The type of the samples that read_into() gives, as sample_types() names it.")
        .def_property_readonly("rate", &file_source::rate, "In Hz.")
        .def_property_readonly(
            "center",
            [](const file_source& r) { return value_or_none(r.center()); },
            "The frequency at 0 Hz of the samples; None if it is not known.")
        .def_property_readonly(
            "datetime",
            &file_source::datetime,
            "The time of the first sample, as in SigMF; empty if it is not known.")
        .def_property_readonly(
            "samples",
            [](const file_source& r) { return value_or_none(r.items()); },
            "The number of all samples; None if it is not known.")
        .def_property_readonly(
            "is_stream",
            &file_source::is_stream,
            "Whether samples come at their own pace, and only once, as from a pipe.")
        .def_property_readonly("remarks",
                               &file_source::remarks,
                               "What was assumed, or is odd, each in one line.")
        .def_property_readonly("problem",
                               &file_source::problem,
                               "A fault that is known at the end, such as a part of a "
                               "sample there; empty if there is none.")
        .def("read_into",
             &read_into,
             py::arg("buffer"),
             R"(Reads the next samples.

Args:
    buffer: contiguous and writable, such as a NumPy array; gets as many as it has room for

Returns the number of samples; 0 at the end.)");
}
