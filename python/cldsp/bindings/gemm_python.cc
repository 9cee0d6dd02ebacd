// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the blocks that multiply vectors by a matrix.

#include "argument_text.h"
#include "engine_block_class.h"
#include "matrix_argument.h"
#include <gnuradio/cldsp/gemm.h>
#include <type_traits>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace py = pybind11;

namespace {

constexpr const char* gemm_class_doc =
    R"(y = A x of a stream of vectors, on an OpenCL device or the host.

An input item is a vector of A's columns, an output item one of A's rows: a beamformer, a
channel mixer, a layer of a neural network. The vectors of a call are multiplied together. The
letters of the name are the types of the inputs and the outputs: f float, c complex, b signed
bytes, i integers of 32 bits. The products of gemm_bi are exact.

Message port set_A (input): a PMT vector or tuple of rows, each a vector or tuple of numbers
or a uniform vector; or a string that names a .npy file. A message that is no such matrix, or
one of another size or with a value that is not finite, or no byte, is logged and dropped
as a whole.)";

constexpr const char* gemm_make_doc = R"(
Args:
    A: a list of rows of finite numbers, all of the same length, or a two-dimensional NumPy
        array, or the path of a .npy file of one; one row and column or more. gemm_bi takes
        whole numbers from -128 to 127, and at most 131071 columns
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

using float_rows = std::vector<std::vector<float>>;

//! The matrix of gemm_bi. It is read in double precision, because a number that is not
//! whole may become whole when it is rounded to a float.
float_rows byte_rows(const py::object& A)
{
    if (!is_matrix(A))
        return matrix_or_file_argument<float>(A);
    float_rows rows;
    for (const auto& values : matrix_argument<double>(A)) {
        rows.emplace_back(values.begin(), values.end());
        for (std::size_t column = 0; column < values.size(); column++)
            if (std::isfinite(values[column]) &&
                values[column] != std::floor(values[column]))
                throw std::invalid_argument(
                    "parameter 'A[" + std::to_string(rows.size() - 1) + "][" +
                    std::to_string(column) + "]' is " +
                    argument_text(py::float_(values[column])) +
                    ", but must be a whole number from -128 to 127");
    }
    return rows;
}

template <class T>
auto rows_of(const py::object& A)
{
    if constexpr (std::is_same_v<T, std::int8_t>)
        return byte_rows(A);
    else
        return matrix_or_file_argument<T>(A);
}

template <class T>
void bind_gemm_type(py::module& m, const char* name)
{
    using block = gr::cldsp::gemm<T>;

    sync_block_class<block> c(m, name, gemm_class_doc);
    c.def(py::init([](const py::object& A,
                      const std::string& device,
                      const std::string& variant,
                      const std::string& precision,
                      const std::string& plan) {
              const auto rows = rows_of<T>(A);
              return without_gil(
                  [&] { return block::make(rows, device, variant, precision, plan); });
          }),
          py::arg("A"),
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("precision") = "exact",
          py::arg("plan") = "auto",
          gemm_make_doc);
    c.def(
        "set_A",
        [](block& self, const py::object& A) {
            const auto rows = rows_of<T>(A);
            without_gil([&] { self.set_A(rows); });
        },
        py::arg("A"),
        "Sets the matrix, in any form that the constructor takes, between two calls of "
        "work(). ValueError for one of another size or with values that are not finite.");
    c.def("A", &block::A, without_gil_guard(), "The matrix set last, a list of rows.");
}

} // namespace

void bind_gemm(py::module& m)
{
    bind_gemm_type<float>(m, "gemm_ff");
    bind_gemm_type<gr_complex>(m, "gemm_cc");
    bind_gemm_type<std::int8_t>(m, "gemm_bi");
}
