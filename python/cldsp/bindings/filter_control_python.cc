/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "without_gil.h"
#include <gnuradio/cldsp/filter_control.h>
#include <pybind11/pybind11.h>
#include <memory>

namespace py = pybind11;

void bind_filter_control(py::module& m)
{
    using gr::cldsp::filter_control;

    py::class_<filter_control, std::shared_ptr<filter_control>>(m, "_filter_control")
        .def("set_center_freq",
             &filter_control::set_center_freq,
             without_gil_guard(),
             py::arg("center_freq"),
             "Sets the frequency in Hz that is shifted to 0 Hz. It takes effect between "
             "two calls of work(), at an output that a tag \"freq\" marks; the phase of "
             "an FIR filter goes on without a jump if its taps are symmetric. ValueError "
             "unless finite.")
        .def("center_freq",
             &filter_control::center_freq,
             without_gil_guard(),
             "The frequency set last, in Hz.")
        .def("sampling_freq",
             &filter_control::sampling_freq,
             without_gil_guard(),
             "Of the input, in Hz.")
        .def("max_taps",
             &filter_control::max_taps,
             without_gil_guard(),
             "How many taps there may be: 16777216.");
}
