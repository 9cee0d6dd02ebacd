// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the block that tunes and reports.

#include "without_gil.h"
#include <gnuradio/cldsp/tune_probe.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <memory>

namespace py = pybind11;

namespace {

constexpr const char* tune_probe_class_doc =
    R"(Tunes the kernels of the blocks that run, measures the device's roofline, and tells how
the blocks do.

It has no stream ports. A tuning runs in a thread of its own; when it ends, the running blocks
choose their engines again, and go over to them without losing a sample. What it tells of them
does not wait for their devices. There is one tuning at a time in a process: another one is
refused. The end of the flowgraph ends it, and what it has found is kept.

Message ports:
    tune (input): any message starts a tuning. A dict may hold what, budget_s and strategy for
        this one. The symbol stop, or a dict with stop: true, ends one.
    query (input): any message asks for the events blocks and roofline.
    report (output): dicts with the keys event ("progress", "result", "roofline", "blocks",
        "done" or "error") and text, a line; and what the event has besides.)";

constexpr const char* tune_probe_make_doc = R"(
Args:
    device: "auto", "gpu", "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device
        index) or part of a device's name. Of the devices that it names, those where blocks run
        are tuned, or the first OpenCL device where none does. The host has a roofline but no
        kernels to tune.
    what: "blocks" (filters, banks and products of matrices as the running blocks need them),
        "roofline" (measures only), or a workload: "W1" (2429 taps, decimation 42), "W2" (201
        taps, decimation 42), "W3" (101 taps, decimation 1), "W1-fast" and "W3-fast" (the same
        by fast convolution), "G1" (a product of matrices of 1024 rows and columns, real), "G2"
        (64 beams of 64 antennas, 65536 samples, complex), "G3" (4096 items, codes and bits)
    budget_s: seconds for a whole tuning, 0.1 to 3600
    strategy: "full", "random", "annealing", "swarm", or for work-group sizes "powers",
        "candidates", "mnn_default", "mace_default"
    at_start: whether a tuning begins with the flowgraph
    report_s: seconds between events blocks and roofline, 0.01 to 3600; 0: only when asked

Raises:
    ValueError: naming the parameter, its value and the range)";

py::dict as_dict(const gr::cldsp::block_statistics& block)
{
    py::dict d;
    d["alias"] = block.alias;
    d["device"] = block.device;
    d["algorithm"] = block.algorithm;
    d["variant"] = block.variant;
    d["transfer"] = block.transfer;
    d["plan"] = block.plan;
    d["kernel_time"] = block.kernel_time;
    d["transfer_time"] = block.transfer_time;
    d["samples"] = block.samples;
    d["renewals"] = block.renewals;
    d["operations"] = block.operations;
    d["roof_fraction"] = block.roof_fraction;
    d["fell_back"] = block.fell_back;
    return d;
}

} // namespace

void bind_tune_probe(py::module& m)
{
    using block = gr::cldsp::tune_probe;

    py::class_<block, gr::block, gr::basic_block, std::shared_ptr<block>>(
        m, "tune_probe", tune_probe_class_doc)
        .def(py::init([](const std::string& device,
                         const std::string& what,
                         double budget_s,
                         const std::string& strategy,
                         bool at_start,
                         double report_s) {
                 return without_gil([&] {
                     auto probe = block::make(
                         device, what, budget_s, strategy, at_start, report_s);
                     // Python deletes it with its lock held, which a device that hangs
                     // must not keep from the other threads.
                     probe->set_wait_at_end(false);
                     return probe;
                 });
             }),
             py::arg("device") = "auto",
             py::arg("what") = "blocks",
             py::arg("budget_s") = 30.0,
             py::arg("strategy") = "annealing",
             py::arg("at_start") = false,
             py::arg("report_s") = 0.0,
             tune_probe_make_doc)
        .def("tune",
             &block::tune,
             py::arg("what") = "",
             py::arg("budget_s") = 0.0,
             py::arg("strategy") = "",
             without_gil_guard(),
             R"(Starts a tuning; also while no flowgraph runs.

What is left out is as constructed. False: another tuning of this process is under way. Raises
ValueError as the constructor does.)")
        .def(
            "stop_tuning",
            &block::stop_tuning,
            "Ends a tuning after the point being measured, and keeps what it found; does "
            "not wait for it.")
        .def("tuning", &block::tuning, "Whether this block's tuning is under way.")
        .def(
            "roofline",
            [](const block& self) {
                return without_gil([&] { return self.roofline(); });
            },
            "Figures by name (FLOP/s, B/s, s), of the device tuned last; empty: none "
            "were "
            "measured yet.")
        .def(
            "block_statistics",
            [](const block& self) {
                const auto all = without_gil([&] { return self.statistics(); });
                py::list list;
                for (const auto& one : all)
                    list.append(as_dict(one));
                return list;
            },
            R"(Of the blocks of this process that run now, a list of dicts by their aliases.

Keys: alias; device, algorithm, variant, transfer, plan (as the block's methods tell);
kernel_time and transfer_time (average of a call in seconds); samples (outputs of the first
port); renewals (how often another engine has taken over the stream); operations (a second
while the kernel runs) and roof_fraction (of the device's roof), both 0 where not known;
fell_back (the device was lost).)")
        .def_property_readonly(
            "last_report", &block::last_report, "One line: the last report of a tuning.")
        .def("state",
             &block::tuning_state,
             "\"idle\", \"tuning\", \"done\", \"stopped\" or \"failed\".")
        .def("progress",
             &block::tuning_progress,
             "The part of the points that is over, 0 to 1.")
        .def("speedup", &block::tuning_speedup, "Of the last result; 0: there is none.");
}
