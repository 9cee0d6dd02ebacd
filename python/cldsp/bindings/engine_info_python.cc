// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds what every block tells of its engine.

#include "without_gil.h"
#include <gnuradio/cldsp/engine_info.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <memory>

namespace py = pybind11;

// During a call of work() the getters return the values from before the call.
void bind_engine_info(py::module& m)
{
    using gr::cldsp::engine_info;

    py::class_<engine_info, std::shared_ptr<engine_info>>(m, "_engine_info")
        .def("device_name",
             &engine_info::device_name,
             without_gil_guard(),
             "\"host\" where the host computes, else OpenCL's name of the device.")
        .def("algorithm_name",
             &engine_info::algorithm_name,
             without_gil_guard(),
             "\"direct\", \"fast_convolution\", \"gemm\", \"popcount\" for 1-bit "
             "correlations, or \"correlator\": what really runs.")
        .def("variant_name",
             &engine_info::variant_name,
             without_gil_guard(),
             "The kernel variant that really runs, never \"auto\".")
        .def("transfer_name",
             &engine_info::transfer_name,
             without_gil_guard(),
             "\"copy\", \"mapped\" or \"zero_copy\"; \"none\" where the host computes.")
        .def("kernel_time_avg",
             &engine_info::kernel_time_avg,
             without_gil_guard(),
             "Average computing time of a call in seconds; 0 before the first call.")
        .def("transfer_time_avg",
             &engine_info::transfer_time_avg,
             without_gil_guard(),
             "Average time of a call's copies and maps in seconds; 0 where the host "
             "computes.")
        .def("plan",
             &engine_info::plan,
             without_gil_guard(),
             "One line: what was chosen, its rates as predicted and measured, and the "
             "runner-up.")
        .def(
            "plan_details",
            [](const engine_info& block) {
                const auto plan = [&] {
                    const py::gil_scoped_release no_gil;
                    return block.plan_details();
                }();
                py::dict d;
                d["device"] = plan.device;
                d["device_name"] = plan.device_name;
                d["algorithm"] = plan.algorithm;
                d["variant"] = plan.variant;
                d["transfer"] = plan.transfer;
                d["block"] = plan.block;
                d["block_items"] = plan.block_items;
                d["predicted"] = plan.predicted;
                d["measured"] = plan.measured;
                d["remembered"] = plan.remembered;
                d["provisional"] = plan.provisional;
                d["runner_up"] = plan.runner_up;
                d["tuned"] = plan.tuned;
                d["reason"] = plan.reason;
                py::list shares;
                for (const auto& share : plan.shares) {
                    py::dict part;
                    part["device"] = share.device;
                    part["device_name"] = share.device_name;
                    part["channels"] = share.channels;
                    part["algorithm"] = share.algorithm;
                    part["variant"] = share.variant;
                    part["transfer"] = share.transfer;
                    shares.append(part);
                }
                d["shares"] = shares;
                return d;
            },
            "What plan() says, as a dict: device (as the parameter takes it), "
            "device_name, "
            "algorithm, variant, transfer; block (rows of fast convolution's block, or "
            "0); block_items (items of a block that channels of different rates share, "
            "or "
            "0); "
            "predicted and measured (input items per second, of products of matrices "
            "operations a second; 0 where there is none); remembered (whether an earlier "
            "measurement chose it); provisional (whether the stream runs at once, and a "
            "better plan may follow); runner_up; tuned (values that a tuner has found); "
            "reason (why the host or others compute in place of a device, or empty); "
            "shares (where several devices share the channels of a bank, a dict for "
            "each: "
            "device, device_name, channels, algorithm, variant, transfer; else empty).")
        .def("fell_back",
             &engine_info::fell_back,
             without_gil_guard(),
             "True once a device was lost and the host, or the other devices of several, "
             "go "
             "on in its place. As all that "
             "a block tells of its engine, it does not wait for a call of work(): while "
             "one "
             "is under way, it is what was so before it.");
}
