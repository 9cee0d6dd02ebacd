/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H

#include "engine_block_class.h"
#include "taps_argument.h"

//! Binds the methods that are common to the blocks with a choice of devices and those
//! with VOLK.
template <class BLOCK>
void bind_methods(block_class<BLOCK>& block)
{
    namespace py = pybind11;

    block
        .def("set_center_freq",
             &BLOCK::set_center_freq,
             without_gil_guard(),
             py::arg("center_freq"),
             "Sets the frequency in Hz that is shifted to 0 Hz. It takes effect between "
             "two "
             "calls of work(), at an output that a tag \"freq\" marks; the phase goes on "
             "without a jump for symmetric filters. ValueError unless finite.")
        .def("center_freq",
             &BLOCK::center_freq,
             without_gil_guard(),
             "The frequency set last, in Hz.")
        .def("sampling_freq",
             &BLOCK::sampling_freq,
             without_gil_guard(),
             "Of the input, in Hz.")
        .def("set_taps",
             setter_of_taps<BLOCK>(&BLOCK::set_taps),
             py::arg("taps"),
             "Sets the prototype: 1 to max_taps() finite values, any number of them at "
             "any "
             "time. It takes effect as set_center_freq() does; no sample is skipped or "
             "repeated. ValueError for other taps.")
        .def("taps", &BLOCK::taps, without_gil_guard(), "The prototype set last.")
        .def("max_taps",
             &BLOCK::max_taps,
             without_gil_guard(),
             "How many taps there may be: 16777216.");
}

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H */
