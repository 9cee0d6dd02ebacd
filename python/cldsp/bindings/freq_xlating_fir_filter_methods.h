/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H

#include "engine_block_class.h"
#include "taps_argument.h"
#include <gnuradio/cldsp/filter_control.h>

//! Binds the methods that are common to the blocks with a choice of devices and those
//! with VOLK.
template <class BLOCK>
void bind_methods(filter_class<BLOCK, gr::cldsp::filter_control>& block)
{
    namespace py = pybind11;

    block
        .def("set_taps",
             setter_of_taps<BLOCK>(&BLOCK::set_taps),
             py::arg("taps"),
             "Sets the prototype: 1 to max_taps() finite values, any number of them at "
             "any time. It takes effect as set_center_freq() does; no sample is skipped "
             "or repeated. ValueError for other taps.")
        .def("taps", &BLOCK::taps, without_gil_guard(), "The prototype set last.");
}

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H */
