/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ENGINE_BLOCK_METHODS_H
#define INCLUDED_CLDSP_ENGINE_BLOCK_METHODS_H

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

//! What every block tells of the engine that computes for it.
template <class CLASS>
void bind_engine_info(CLASS& block)
{
    using BLOCK = typename CLASS::type;

    block
        .def("device_name",
             &BLOCK::device_name,
             "\"host\" where the host computes, else OpenCL's name of the device.")
        .def("algorithm_name",
             &BLOCK::algorithm_name,
             "\"direct\", \"fast_convolution\", \"gemm\", or \"popcount\" for 1-bit "
             "correlations: what really runs.")
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
        .def("plan",
             &BLOCK::plan,
             "One line: what was chosen, its rates as predicted and measured, and the "
             "runner-up.")
        .def("fell_back",
             &BLOCK::fell_back,
             "True once the device was lost and the host goes on in its place.");
}

#endif /* INCLUDED_CLDSP_ENGINE_BLOCK_METHODS_H */
