// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads matrices from lists and arrays, and refuses other objects with their text.

#include "argument_text.h"
#include "matrix_argument.h"
#include "taps_argument.h"
#include "without_gil.h"
#include <gnuradio/cldsp/gemm.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <type_traits>
#include <string>

namespace py = pybind11;

namespace {

template <class T>
constexpr bool takes_complex = std::is_same_v<T, gr_complex>;

[[noreturn]] void refuse(const py::object& A, const std::string& range)
{
    throw py::value_error("parameter 'A' is " + argument_text(A) + ", but must be " +
                          range);
}

template <class T>
std::string expected()
{
    return std::string("a list of rows of ") + (takes_complex<T> ? "" : "real ") +
           "numbers, or a two-dimensional NumPy array of them";
}

template <class T>
std::vector<std::vector<T>> from_array(const py::array& A)
{
    const char kind = A.dtype().kind();
    const bool number = kind == 'f' || kind == 'i' || kind == 'u' || kind == 'b';
    if (A.ndim() != 2 || !(number || (takes_complex<T> && kind == 'c')))
        refuse(A, expected<T>());
    const auto values =
        py::array_t<T, py::array::c_style | py::array::forcecast>::ensure(A);
    if (!values)
        throw py::error_already_set();
    std::vector<std::vector<T>> rows;
    const auto columns = values.shape(1);
    for (py::ssize_t row = 0; row < values.shape(0); row++)
        rows.emplace_back(values.data() + row * columns,
                          values.data() + (row + 1) * columns);
    return rows;
}

} // namespace

template <class T>
std::vector<std::vector<T>> matrix_argument(const py::object& A)
{
    if (py::isinstance<py::array>(A))
        return from_array<T>(py::reinterpret_borrow<py::array>(A));
    if (takes_complex<T> || !has_complex(A)) {
        try {
            return A.cast<std::vector<std::vector<T>>>();
        } catch (const py::cast_error&) {
        } catch (const py::error_already_set& error) {
            require_type_error(error);
        }
    }
    refuse(A, expected<T>());
}

bool is_matrix(const py::object& A)
{
    return !py::isinstance<py::str>(A) &&
           !py::isinstance(A, py::module::import("os").attr("PathLike"));
}

template <class T>
std::vector<std::vector<T>> matrix_or_file_argument(const py::object& A)
{
    if (!is_matrix(A)) {
        // As Python's own functions do: a name may have bytes that are no UTF-8.
        const py::bytes path = py::module::import("os").attr("fsencode")(A);
        const std::string file = path;
        return without_gil([&] { return gr::cldsp::load_npy<T>(file); });
    }
    return matrix_argument<T>(A);
}

template std::vector<std::vector<float>> matrix_argument(const py::object&);
template std::vector<std::vector<double>> matrix_argument(const py::object&);
template std::vector<std::vector<gr_complex>> matrix_argument(const py::object&);
template std::vector<std::vector<float>> matrix_or_file_argument(const py::object&);
template std::vector<std::vector<gr_complex>> matrix_or_file_argument(const py::object&);
