/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H
#define INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H

#include <gnuradio/sync_decimator.h>
#include <pybind11/complex.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <memory>

template <class BLOCK>
using block_class = pybind11::class_<BLOCK,
                                     gr::sync_decimator,
                                     gr::sync_block,
                                     gr::block,
                                     gr::basic_block,
                                     std::shared_ptr<BLOCK>>;

//! What the blocks on a chosen device and those on VOLK have in common.
template <class BLOCK>
void bind_methods(block_class<BLOCK>& block)
{
    namespace py = pybind11;

    block
        .def("set_center_freq",
             &BLOCK::set_center_freq,
             py::arg("center_freq"),
             "Sets the frequency in Hz that is shifted to 0 Hz. It takes effect between "
             "two "
             "calls of work(), at an output that a tag \"freq\" marks; the phase goes on "
             "without a jump for symmetric filters. ValueError unless finite.")
        .def("center_freq", &BLOCK::center_freq, "The frequency set last, in Hz.")
        .def("set_taps",
             &BLOCK::set_taps,
             py::arg("taps"),
             "Sets the prototype: 1 to max_taps() finite values, any number of them at "
             "any "
             "time. It takes effect as set_center_freq() does; no sample is skipped or "
             "repeated. ValueError for other taps.")
        .def("taps", &BLOCK::taps, "The prototype set last.")
        .def("max_taps",
             &BLOCK::max_taps,
             "How many taps set_taps() takes: the larger of 8192 and four times the "
             "number "
             "at construction.")

        .def("device_name",
             &BLOCK::device_name,
             "\"host\" where the host computes, else OpenCL's name of the device.")
        .def("variant_name",
             &BLOCK::variant_name,
             "The kernel variant that really runs, never \"auto\".")
        .def("transfer_name",
             &BLOCK::transfer_name,
             "\"copy\", \"mapped\" or \"zero_copy\"; \"none\" where the host computes.")
        .def("kernel_time_avg",
             &BLOCK::kernel_time_avg,
             "Average computing time of a call in seconds; 0 before the first call.")
        .def("transfer_time_avg",
             &BLOCK::transfer_time_avg,
             "Average time of a call's copies and maps in seconds; 0 where the host "
             "computes.")
        .def("fell_back",
             &BLOCK::fell_back,
             "True once the device was lost and the host goes on in its place.");
}

#endif /* INCLUDED_CLDSP_FREQ_XLATING_FIR_FILTER_METHODS_H */
