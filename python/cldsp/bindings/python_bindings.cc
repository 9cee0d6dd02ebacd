// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The Python module, with the base classes of the blocks first.

#include <gnuradio/cldsp/devices.h>

#include <pybind11/pybind11.h>

namespace py = pybind11;

void bind_channel_tuner(py::module& m);
void bind_correlate(py::module& m);
void bind_correlator(py::module& m);
void bind_devices(py::module& m);
void bind_engine_info(py::module& m);
void bind_filter_control(py::module& m);
void bind_freq_xlating_filter_bank(py::module& m);
void bind_freq_xlating_fft_filter(py::module& m);
void bind_freq_xlating_fir_filter(py::module& m);
void bind_freq_xlating_fir_filter_volk(py::module& m);
void bind_gemm_1bit_bi(py::module& m);
void bind_gemm(py::module& m);
void bind_matrix_product(py::module& m);
void bind_multiply_matrix(py::module& m);
void bind_recording(py::module& m);
void bind_tune_probe(py::module& m);

PYBIND11_MODULE(cldsp_python, m)
{
    m.doc() = "Frequency-xlating FIR filters, matrix products and correlators on OpenCL "
              "devices and the host.";

    m.attr("__version__") = CLDSP_VERSION;

    // This module registers the base classes of the blocks.
    py::module::import("gnuradio.gr");

    // The base classes of the blocks below.
    bind_engine_info(m);
    bind_filter_control(m);
    bind_channel_tuner(m);
    bind_correlate(m);
    bind_correlator(m);
    bind_devices(m);
    bind_freq_xlating_filter_bank(m);
    bind_freq_xlating_fft_filter(m);
    bind_freq_xlating_fir_filter(m);
    bind_freq_xlating_fir_filter_volk(m);
    bind_gemm_1bit_bi(m);
    bind_gemm(m);
    bind_matrix_product(m);
    bind_multiply_matrix(m);
#ifdef CLDSP_RECORDINGS
    bind_recording(m);
#endif
    bind_tune_probe(m);

    // Planning must end before the libraries are unloaded in which it may be running.
    py::module::import("atexit").attr("register")(py::cpp_function([] {
        const py::gil_scoped_release without_gil;
        gr::cldsp::end_planning();
    }));
}
