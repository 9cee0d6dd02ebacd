/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_WHOLE_NUMBER_H
#define INCLUDED_CLDSP_WHOLE_NUMBER_H

#include "argument_text.h"
#include "without_gil.h"
#include <pybind11/pybind11.h>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

//! A number for a parameter that has to be whole, as Python has it. pybind11's own
//! conversion cuts NumPy's float32(2.5) to 2, and its refusal of a number beyond C++'s
//! range, or of 2.0, names no parameter.
class whole_number
{
public:
    //! Of an argument of any kind; false if it is no number.
    bool load(pybind11::handle argument)
    {
        if (PyIndex_Check(argument.ptr())) {
            d_number = pybind11::reinterpret_steal<pybind11::object>(
                PyNumber_Index(argument.ptr()));
            if (d_number)
                return true;
            PyErr_Clear(); // an array that is no scalar
        }
        if (!PyNumber_Check(argument.ptr()) || PySequence_Check(argument.ptr()) ||
            PyComplex_Check(argument.ptr()))
            return false;
        d_number = pybind11::reinterpret_borrow<pybind11::object>(argument);
        return true;
    }

    //! The number, which may be a float without a fraction. \p lowest is for the text of
    //! the error; whether the number is large enough is checked by those who use it.
    //!
    //! \throws std::invalid_argument naming \p parameter, if the number has a fraction or
    //!         is no INTEGER
    template <class INTEGER>
    INTEGER as(const std::string& parameter, INTEGER lowest) const
    {
        constexpr auto limit = std::numeric_limits<INTEGER>::max();
        pybind11::object whole = d_number;
        if (!PyLong_Check(whole.ptr())) {
            const double value = PyFloat_AsDouble(d_number.ptr());
            if (PyErr_Occurred())
                PyErr_Clear();
            else if (std::isfinite(value) && value == std::floor(value))
                whole = pybind11::reinterpret_steal<pybind11::object>(
                    PyLong_FromDouble(value));
        }
        if (PyLong_Check(whole.ptr())) {
            int beyond = 0;
            const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
            if (!beyond && value >= std::numeric_limits<INTEGER>::min() && value <= limit)
                return static_cast<INTEGER>(value);
        }
        throw std::invalid_argument(
            "parameter '" + parameter + "' is " + argument_text(d_number) +
            ", but must be a whole number, " + std::to_string(lowest) + " to " +
            std::to_string(limit));
    }

private:
    pybind11::object d_number;
};

namespace pybind11 {
namespace detail {
template <>
struct type_caster<whole_number> {
    PYBIND11_TYPE_CASTER(whole_number, const_name("int"));
    bool load(handle argument, bool) { return value.load(argument); }
};
} // namespace detail
} // namespace pybind11

//! As init_without_gil(), where the first parameter of \p make is a whole number of 1 or
//! more, \p parameter.
template <class BLOCK, class... ARGS>
auto init_with_whole(const char* parameter, std::shared_ptr<BLOCK> (*make)(int, ARGS...))
{
    return pybind11::init([parameter, make](const whole_number& first, ARGS... args) {
        const int number = first.as<int>(parameter, 1);
        return without_gil([&] { return make(number, args...); });
    });
}

//! A method of Python from a \p method whose first parameter is the index of a channel.
template <class BLOCK, class RESULT, class... ARGS>
auto of_channel(RESULT (BLOCK::*method)(int, ARGS...))
{
    return [method](BLOCK& self, const whole_number& channel, ARGS... args) {
        const int index = channel.as<int>("channel", 0);
        return without_gil([&] { return (self.*method)(index, args...); });
    };
}

#endif /* INCLUDED_CLDSP_WHOLE_NUMBER_H */
