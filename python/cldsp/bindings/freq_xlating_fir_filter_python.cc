// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the filters for every type of input and of taps.

#include "inputs_doc.h"
#include "whole_number.h"
#include <gnuradio/cldsp/freq_xlating_fir_filter.h>

namespace py = pybind11;

namespace {

constexpr const char* fir_class_doc =
    R"(Takes a narrow channel out of a wide stream: shift to 0 Hz, FIR filter, decimation.

Replaces the block of the same name in gnuradio.filter, on an OpenCL device or the host,
whichever is faster. The output is complex. The last letter of the name is the taps': c
complex, f float. The letters before it are the input's:
)" CLDSP_INPUTS_DOC R"(in a pair, I comes before Q.

Message port freq (input): a pair (any key . frequency in Hz) or a dict with the key freq.
A tag freq, whose value is the frequency in Hz, marks where changes took effect. The tags rx_rate
and rx_freq of the input get the values of the output: the rate, and the frequency of 0 Hz.)";

constexpr const char* fir_make_doc = R"(
Args:
    decimation: input items an output, 1 to what GNU Radio's buffer before the block holds:
        with history() less than 2**30 bytes
    taps: the low-pass prototype at 0 Hz, one or more finite values
    center_freq: frequency in Hz that is shifted to 0 Hz, finite
    sampling_freq: rate of the input in Hz, finite and above 0
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name
    variant: "auto" or a name that cldsp.list_variants() gives, which implies its algorithm
    transfer: "auto", "copy", "mapped" or "zero_copy"
    algorithm: "auto", "direct" or "fast_convolution"
    accuracy: how much fast convolution may change the frequency response, relative to the
        largest gain: 0 (nothing but rounding) to 0.1
    latency: seconds of input that a call may bring, 0 to 10: the block asks for calls as long
        as its device needs within this bound, and for buffers of two such calls. It never
        waits for a call to fill
    rewrite_tags: whether the tags rx_rate and rx_freq of the input get the values of the
        output; if False, they pass as they are, as in-tree
    plan: "auto" (the preference [cldsp] plan, or: starts at once on the host, measures what is
        faster while it runs, and moves there at an output) or "wait" (the constructor
        measures, and the fastest computes from the first sample on)

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

template <class IN_T, class TAP_T>
void bind_fir_filter(py::module& m, const char* name)
{
    using block = gr::cldsp::freq_xlating_fir_filter<IN_T, TAP_T>;

    py::class_<block, gr::cldsp::filter_with_taps<TAP_T>, std::shared_ptr<block>> c(
        m, name, fir_class_doc);
    c.def(init_with_whole("decimation", &block::make),
          py::arg("decimation"),
          py::arg("taps"),
          py::arg("center_freq"),
          py::arg("sampling_freq"),
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("transfer") = "auto",
          py::arg("algorithm") = "auto",
          py::arg("accuracy") = 1e-5,
          py::arg("latency") = 0.025,
          py::arg("rewrite_tags") = true,
          py::arg("plan") = "auto",
          fir_make_doc);
}

} // namespace

void bind_freq_xlating_fir_filter(py::module& m)
{
#define BIND(NAME, CAPITALS, LETTERS, ...)           \
    bind_fir_filter<gr::cldsp::NAME, gr_complex>(    \
        m, "freq_xlating_fir_filter_" #LETTERS "c"); \
    bind_fir_filter<gr::cldsp::NAME, float>(m, "freq_xlating_fir_filter_" #LETTERS "f");
    CLDSP_SAMPLE_TYPES(BIND)
#undef BIND
}
