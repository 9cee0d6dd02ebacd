// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the correlator blocks.

#include "engine_block_class.h"
#include "whole_number.h"
#include <gnuradio/cldsp/correlator.h>
#include <cstdint>
#include <string>

namespace py = pybind11;

namespace {

constexpr const char* correlator_class_doc =
    R"(The products of each pair of antennas, summed over an integration: an FX correlator's X.

The input is a stream for each antenna, or one stream of vectors with a sample of each
antenna: complex floats for correlator_cc, pairs of signed bytes for correlator_cs8, which
count as v / 128. Once in every integration of T samples the output is a vector of the
N (N + 1) / 2 visibilities of the N antennas, which are complex floats.

Visibility (i, j), for antennas i >= j counted from 0, is the sum of x_i[t] conj(x_j[t]) over
the T samples t. It is element i (i + 1) / 2 + j of the vector: the lower triangle of the
matrix X X^H, row by row. So R[np.tril_indices(N)] = vector fills that triangle. Element
(i, i) is the power of antenna i, with imaginary part 0. Sums are not divided by T.

Sums of bytes are exact, and rounded once at the end. Sums of complex floats have an error
below 1e-6 of the largest power, however long the integration is.

Each output vector has a tag "first_sample": the number of the input item at which its
integration begins. Tags of the first input pass to the vector of the integration in which
they lie; rx_rate gets the rate of the vectors. An incomplete integration is dropped at the end
of the stream, and when the flowgraph is stopped or reconfigured; its samples are never added to
those of another stream.

Message port integration (input): a number, or a pair with a number as its second element, as
for set_integration(). Another message is logged and dropped.)";

constexpr const char* correlator_make_doc = R"(
Args:
    antennas: the number of antennas, 1 to 4096
    integration: the samples of an integration, 1 to 10**11
    vectors: False: a stream for each antenna; True: one stream of vectors
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name
    plan: "auto" (the preference [cldsp] plan, or: starts at once on the host, measures what is
        faster while it runs, and moves there at an output) or "wait" (the constructor
        measures, and the fastest computes from the first sample on)

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

constexpr std::int64_t max_integration = 100000000000; // in samples

template <class T>
void bind_correlator_type(py::module& m, const char* name)
{
    using block = gr::cldsp::correlator<T>;

    py::class_<block,
               gr::block,
               gr::basic_block,
               gr::cldsp::engine_info,
               std::shared_ptr<block>>
        c(m, name, correlator_class_doc);
    c.def(py::init([](const whole_number& antennas,
                      const whole_number& integration,
                      bool vectors,
                      const std::string& device,
                      const std::string& plan) {
              const auto count = antennas.as<int>("antennas", 1, 4096);
              const auto samples =
                  integration.as<std::int64_t>("integration", 1, max_integration);
              return without_gil(
                  [&] { return block::make(count, samples, vectors, device, plan); });
          }),
          py::arg("antennas"),
          py::arg("integration"),
          py::arg("vectors") = false,
          py::arg("device") = "auto",
          py::arg("plan") = "auto",
          correlator_make_doc);
    c.def(
        "set_integration",
        [](block& self, const whole_number& integration) {
            const auto samples =
                integration.as<std::int64_t>("integration", 1, max_integration);
            without_gil([&] { self.set_integration(samples); });
        },
        py::arg("integration"),
        "Sets the samples of an integration. The integration that has begun keeps its "
        "length. ValueError for a number out of its range.");
    c.def("integration",
          &block::integration,
          without_gil_guard(),
          "The samples of an integration, as set last.");
    c.def("antennas", &block::antennas, "The number of antennas.");
    c.def("visibilities", &block::visibilities, "The elements of an output vector.");
}

} // namespace

void bind_correlator(py::module& m)
{
    bind_correlator_type<gr_complex>(m, "correlator_cc");
    bind_correlator_type<gr::cldsp::cs8>(m, "correlator_cs8");
}
