// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the filters with the phase of GNU Radio's FFT filter.

#include "engine_block_class.h"
#include "whole_number.h"
#include <gnuradio/cldsp/freq_xlating_fft_filter.h>

namespace py = pybind11;

namespace {

constexpr const char* fft_class_doc =
    R"(freq_xlating_fir_filter with the phase of gnuradio.filter.freq_xlating_fft_filter_ccc.

Replaces that block by name: the constant phase of the FIR filter is missing, and a retune
leaves the phase of the rotator as it is. The fastest algorithm is chosen, which for few taps
may be the direct one. The letters of the name are input, output and taps, or an IQ type and
taps, as those of freq_xlating_fir_filter.

Message port freq (input): a pair (any key . frequency in Hz) or a dict with the key freq.
A tag freq, whose value is the frequency in Hz, marks where changes took effect. The tags rx_rate
and rx_freq of the input get the values of the output: the rate, and the frequency of 0 Hz.)";

constexpr const char* fft_make_doc = R"(
Args:
    decim: input items an output, as freq_xlating_fir_filter's decimation
    taps: the low-pass prototype at 0 Hz, one or more finite values
    center_freq: frequency in Hz that is shifted to 0 Hz, finite
    samp_rate: rate of the input in Hz, finite and above 0
    device, variant, transfer, algorithm, accuracy, latency, rewrite_tags, plan: as those
        of freq_xlating_fir_filter

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

// The in-tree block is a Python class. Its attributes are bound as attributes here.
template <class TAP_T>
void bind_fft_attributes(py::module& m, const char* name)
{
    using filter = gr::cldsp::fft_filter_with_taps<TAP_T>;

    py::class_<filter, gr::cldsp::filter_with_taps<TAP_T>, std::shared_ptr<filter>>(m,
                                                                                    name)
        .def(
            "set_nthreads",
            [](filter& self, const whole_number& nthreads) {
                self.set_nthreads(nthreads.as<int>("nthreads", 1));
            },
            py::arg("nthreads"),
            "Checks its argument and does nothing else: one channel is filtered on the "
            "thread that GNU Radio gives the block, or on all of a device. ValueError "
            "unless 1 or more.")
        .def_property_readonly(
            "decim",
            [](const filter& b) { return b.decimation(); },
            "Input items an output.")
        .def_property("taps",
                      py::cpp_function(&filter::taps, without_gil_guard()),
                      py::cpp_function(setter_of_taps(&filter::set_taps)),
                      "The prototype set last; assigning is set_taps().")
        .def_property("center_freq",
                      py::cpp_function(&filter::center_freq, without_gil_guard()),
                      py::cpp_function(&filter::set_center_freq, without_gil_guard()),
                      "The frequency set last, in Hz; assigning is set_center_freq().")
        .def_property_readonly(
            "samp_rate",
            py::cpp_function(&filter::sampling_freq, without_gil_guard()),
            "Of the input, in Hz.");
}

template <class IN_T, class TAP_T>
void bind_fft_filter(py::module& m, const char* name)
{
    using block = gr::cldsp::freq_xlating_fft_filter<IN_T, TAP_T>;

    py::class_<block, gr::cldsp::fft_filter_with_taps<TAP_T>, std::shared_ptr<block>> c(
        m, name, fft_class_doc);
    c.def(init_with_whole("decim", &block::make),
          py::arg("decim"),
          py::arg("taps"),
          py::arg("center_freq"),
          py::arg("samp_rate"),
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("transfer") = "auto",
          py::arg("algorithm") = "auto",
          py::arg("accuracy") = 1e-5,
          py::arg("latency") = 0.025,
          py::arg("rewrite_tags") = true,
          py::arg("plan") = "auto",
          fft_make_doc);
}

} // namespace

void bind_freq_xlating_fft_filter(py::module& m)
{
    bind_fft_attributes<gr_complex>(m, "_fft_filter_with_complex_taps");
    bind_fft_attributes<float>(m, "_fft_filter_with_real_taps");
#define BIND(NAME, CAPITALS, LETTERS, ...)           \
    bind_fft_filter<gr::cldsp::NAME, gr_complex>(    \
        m, "freq_xlating_fft_filter_" #LETTERS "c"); \
    bind_fft_filter<gr::cldsp::NAME, float>(m, "freq_xlating_fft_filter_" #LETTERS "f");
    CLDSP_SAMPLE_TYPES(BIND)
#undef BIND
}
