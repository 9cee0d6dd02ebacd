// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the functions of filters that do not depend on their input's type.

#include "engine_block_class.h"
#include "taps_argument.h"
#include <gnuradio/cldsp/filter_control.h>
#include <memory>

namespace py = pybind11;

namespace {

template <class TAP_T>
void bind_filter_with_taps(py::module& m, const char* name)
{
    using filter = gr::cldsp::filter_with_taps<TAP_T>;

    class_with_taps<filter, gr::cldsp::filter_control>(m, name)
        .def("set_taps",
             setter_of_taps(&filter::set_taps),
             py::arg("taps"),
             "Sets the prototype: 1 to max_taps() finite values, any number of them at "
             "any time. It takes effect as set_center_freq() does; no sample is skipped "
             "or repeated. ValueError for other taps.")
        .def("taps", &filter::taps, without_gil_guard(), "The prototype set last.");
}

} // namespace

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

    bind_filter_with_taps<gr_complex>(m, "_filter_with_complex_taps");
    bind_filter_with_taps<float>(m, "_filter_with_real_taps");
}
