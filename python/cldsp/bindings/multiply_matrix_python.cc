// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the blocks that multiply streams by a matrix.

#include "engine_block_class.h"
#include "matrix_argument.h"
#include <gnuradio/cldsp/multiply_matrix.h>

namespace py = pybind11;

namespace {

constexpr const char* multiply_matrix_class_doc =
    R"(y = A x of the items of several streams: each output is a weighted sum of all inputs.

Replaces the block of the same name in gnuradio.blocks: A has a row an output and a column an
input. The letters of the name are the streams' and A's type: f float, c complex. Small
matrices are multiplied on the host; large ones where a measurement is fastest. With the
policy gr.TPP_CUSTOM a tag passes from input k to output l where A[l][k] is not 0.

Message port set_A (input): a PMT vector or tuple of rows; a row is a vector or tuple of
numbers, or a uniform vector. A message that is no such matrix, or one of another size or with
a value that is not finite, is logged and dropped as a whole.)";

constexpr const char* multiply_matrix_make_doc = R"(
Args:
    A: a list of rows of finite numbers, all of the same length, or a two-dimensional NumPy
        array; one row and column or more
    tag_propagation_policy: gr.TPP_ALL_TO_ALL, gr.TPP_ONE_TO_ONE (for a square matrix),
        gr.TPP_DONT or gr.TPP_CUSTOM
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name
    variant: "auto" or a name that cldsp.list_gemm_variants() gives
    precision: the least precise arithmetic that is permitted: "exact", "tf32" (factors
        rounded to 11 bits) or "half" (factors rounded to half precision, which are infinite
        from 65520 on). The matrix units of NVIDIA GPUs use it, all else stays exact
    plan: "auto" (the preference [cldsp] plan, or: starts at once on the host, measures what is
        faster while it runs, and moves there at an output) or "wait" (the constructor
        measures, and the fastest computes from the first sample on)

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

template <class T>
void bind_multiply_matrix_type(py::module& m, const char* name)
{
    using block = gr::cldsp::multiply_matrix<T>;

    sync_block_class<block> c(m, name, multiply_matrix_class_doc);
    c.def(py::init([](const py::object& A,
                      gr::block::tag_propagation_policy_t policy,
                      const std::string& device,
                      const std::string& variant,
                      const std::string& precision,
                      const std::string& plan) {
              const auto rows = matrix_argument<T>(A);
              return without_gil([&] {
                  return block::make(rows, policy, device, variant, precision, plan);
              });
          }),
          py::arg("A"),
          py::arg("tag_propagation_policy") = gr::block::TPP_ALL_TO_ALL,
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("precision") = "exact",
          py::arg("plan") = "auto",
          multiply_matrix_make_doc);
    c.def("get_A",
          &block::get_A,
          without_gil_guard(),
          "The matrix set last, a list of rows.");
    c.def(
        "set_A",
        [](block& self, const py::object& A) {
            const auto rows = matrix_argument<T>(A);
            return without_gil([&] { return self.set_A(rows); });
        },
        py::arg("new_A"),
        "Sets the matrix, between two calls of work(). One of another size, or with "
        "values "
        "that are not finite, is logged and not taken: False. ValueError for what is no "
        "matrix of numbers.");
    c.def_readonly("MSG_PORT_NAME_SET_A",
                   &block::MSG_PORT_NAME_SET_A,
                   "The name of the message port, \"set_A\".");
}

} // namespace

void bind_multiply_matrix(py::module& m)
{
    bind_multiply_matrix_type<float>(m, "multiply_matrix_ff");
    bind_multiply_matrix_type<gr_complex>(m, "multiply_matrix_cc");
}
