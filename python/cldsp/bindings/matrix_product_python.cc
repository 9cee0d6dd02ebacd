// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Binds the function that multiplies two arrays.

#include "without_gil.h"
#include <gnuradio/cldsp/matrix_product.h>
#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <complex>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace py = pybind11;

namespace {

constexpr const char* gemm_doc =
    R"(The matrix product alpha a b + beta c, on an OpenCL device or the host.

What a device, a variant and a precision need is kept for the next call. Where the device is left open, the
host computes the first calls of a process, some seconds of work, at once; after that the first
call of about a size measures, transfers included. Other Python threads run meanwhile.

Args:
    a: float32, complex64 or int8 NumPy array of m rows and k columns; rows need not follow
        each other without gaps
    b: array of the same type, k rows and n columns
    c: array of the same type, or int32 for int8, m rows and n columns; None: beta must be
        0. It is not changed
    alpha: a finite number, real for float32, and 0 or 1 for int8
    beta: as alpha; where it is 0, what c holds does not matter
    device: "auto" (the preference [cldsp] device, or measured, the host included), "gpu",
        "cpu" (an OpenCL CPU device), "host", "P:D" (platform and device index) or part of
        a device's name
    variant: "auto" or a name that cldsp.list_gemm_variants() gives
    precision: the least precise arithmetic that is permitted: "exact", "tf32" (factors
        rounded to 11 bits) or "half" (factors rounded to half precision, which are infinite
        from 65520 on). The matrix units of NVIDIA GPUs use it, all else stays exact

Returns:
    a new array of m rows and n columns. For int8 it is of int32 and exact: k is at most
    131071, and with a beta of 1 the sums with c wrap around

Raises:
    ValueError: naming the parameter, its value and the range; also for a named device that
        cannot be used)";

[[noreturn]] void
refuse(const std::string& name, const std::string& value, const std::string& range)
{
    throw py::value_error("parameter '" + name + "' is " + value + ", but must be " +
                          range);
}

std::string size_text(const py::array& m)
{
    return std::to_string(m.shape(0)) + " by " + std::to_string(m.shape(1));
}

//! \param object,name the argument
//! \param integers whether it is the c of a product of int8
py::array
checked(const py::object& object, const std::string& name, bool integers = false)
{
    const std::string range =
        std::string("a two-dimensional NumPy array of ") +
        (integers ? "int32, because a is of int8" : "float32, complex64 or int8");
    if (!py::isinstance<py::array>(object))
        refuse(name, py::str(py::type::of(object)).cast<std::string>(), range);
    auto array = py::reinterpret_borrow<py::array>(object);
    const auto type = py::str(array.dtype()).cast<std::string>();
    if (integers ? type != "int32"
                 : type != "float32" && type != "complex64" && type != "int8")
        refuse(name, "an array of " + type, range);
    if (array.ndim() != 2)
        refuse(
            name, "an array of " + std::to_string(array.ndim()) + " dimensions", range);
    if (array.size() == 0)
        refuse(name, size_text(array), "of one row and column or more");
    return array;
}

void check_shape(const py::array& m,
                 const std::string& name,
                 py::ssize_t rows,
                 py::ssize_t columns)
{
    if (m.shape(0) != rows || (columns >= 0 && m.shape(1) != columns))
        refuse(name,
               size_text(m),
               std::to_string(rows) + " by " +
                   (columns >= 0 ? std::to_string(columns) : "any number"));
}

//! The number of elements from row to row; 0 if the rows cannot be read without a copy.
std::size_t leading_of(const py::array& m)
{
    const auto element = m.itemsize();
    const auto address = reinterpret_cast<std::uintptr_t>(m.data());
    if (address % static_cast<std::size_t>(element) != 0 ||
        (m.shape(1) > 1 && m.strides(1) != element))
        return 0;
    if (m.shape(0) == 1)
        return static_cast<std::size_t>(m.shape(1));
    if (m.strides(0) % element != 0 || m.strides(0) / element < m.shape(1))
        return 0;
    return static_cast<std::size_t>(m.strides(0) / element);
}

//! The array, or a copy of it if its rows cannot be read directly.
py::array readable(const py::array& m)
{
    return leading_of(m) ? m
                         : py::module::import("numpy")
                               .attr("array")(m, py::arg("order") = "C")
                               .cast<py::array>();
}

//! A factor of matrices of type T.
template <class T>
auto factor(std::complex<double> value, const std::string& name, const std::string& type)
{
    using result = typename gr::cldsp::matrix_product_types<T>::factor;
    const auto text = [&] { return py::repr(py::cast(value)).cast<std::string>(); };
    const std::complex<float> single(value);
    if (!std::isfinite(single.real()) || !std::isfinite(single.imag()))
        refuse(name, text(), "finite");
    if constexpr (std::is_same_v<result, float>) {
        if (value.imag() != 0)
            refuse(name, text(), "real for " + type);
        // Another value could become 0 or 1 when it is rounded to single precision.
        if (std::is_same_v<T, std::int8_t> && value != 0.0 && value != 1.0)
            refuse(name, text(), "0 or 1 for " + type);
        return single.real();
    } else {
        return single;
    }
}

template <class T>
py::array multiply(const py::array& a_any,
                   const py::array& b_any,
                   const std::optional<py::array>& c,
                   std::complex<double> alpha,
                   std::complex<double> beta,
                   const std::string& device,
                   const std::string& variant,
                   const std::string& precision)
{
    const auto a = readable(a_any), b = readable(b_any);
    using product = gr::cldsp::matrix_product_args<T>;
    using element = typename product::result;
    const auto type = py::str(a.dtype()).cast<std::string>();
    product args;
    args.m = a.shape(0);
    args.n = b.shape(1);
    args.k = a.shape(1);
    args.alpha = factor<T>(alpha, "alpha", type);
    args.beta = factor<T>(beta, "beta", type);
    args.a = static_cast<const T*>(a.data());
    args.a_leading = leading_of(a);
    args.b = static_cast<const T*>(b.data());
    args.b_leading = leading_of(b);
    // C is copied only if the product reads it.
    py::array result = c && args.beta != typename product::factor(0)
                           ? py::module::import("numpy")
                                 .attr("array")(*c, py::arg("order") = "C")
                                 .template cast<py::array>()
                           : py::array(py::array_t<element>({ a.shape(0), b.shape(1) }));
    args.c = static_cast<element*>(result.mutable_data());
    args.c_leading = args.n;
    without_gil([&] { gr::cldsp::matrix_product(args, device, variant, precision); });
    return result;
}

py::array gemm(const py::object& a_object,
               const py::object& b_object,
               const py::object& c_object,
               std::complex<double> alpha,
               std::complex<double> beta,
               const std::string& device,
               const std::string& variant,
               const std::string& precision)
{
    const auto a = checked(a_object, "a"), b = checked(b_object, "b");
    std::optional<py::array> c;
    const char kind = a.dtype().kind(); // c: complex, f: float, i: integers
    if (!c_object.is_none())
        c = checked(c_object, "c", kind == 'i');
    check_shape(b, "b", a.shape(1), -1);
    if (c)
        check_shape(*c, "c", a.shape(0), b.shape(1));
    const auto same_type = [&](const py::array& m, const std::string& name) {
        if (m.dtype().kind() != kind)
            refuse(name,
                   "an array of " + py::str(m.dtype()).cast<std::string>(),
                   "of the same type as a, " + py::str(a.dtype()).cast<std::string>());
    };
    same_type(b, "b");
    if (c)
        same_type(*c, "c");
    if (!c && beta != std::complex<double>(0))
        refuse("beta", py::repr(py::cast(beta)).cast<std::string>(), "0 without c");
    const auto& product = kind == 'c'   ? multiply<gr_complex>
                          : kind == 'i' ? multiply<std::int8_t>
                                        : multiply<float>;
    return product(a, b, c, alpha, beta, device, variant, precision);
}

py::list variants()
{
    py::list list;
    for (const auto& variant : gr::cldsp::list_gemm_variants()) {
        py::dict d;
        d["name"] = variant.name;
        d["description"] = variant.description;
        d["ladder"] = variant.ladder;
        d["types"] = variant.types;
        list.append(d);
    }
    return list;
}

} // namespace

void bind_matrix_product(py::module& m)
{
    m.def("gemm",
          &gemm,
          py::arg("a"),
          py::arg("b"),
          py::arg("c") = py::none(),
          py::arg("alpha") = 1.0,
          py::arg("beta") = 0.0,
          py::arg("device") = "auto",
          py::arg("variant") = "auto",
          py::arg("precision") = "exact",
          gemm_doc);
    m.def("list_gemm_variants",
          &variants,
          R"(Every way of computing matrix products, in the ladders' order.

Returns a list of dicts with the keys name, description, ladder ("desktop", "mobile",
"production", "library" or "host") and types (of "f32", "c32", "f16", "s8").)");
}
