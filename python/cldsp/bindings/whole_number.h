// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Whole numbers from Python, refused by their parameter's name where they are not.

#ifndef INCLUDED_CLDSP_WHOLE_NUMBER_H
#define INCLUDED_CLDSP_WHOLE_NUMBER_H

#include "argument_text.h"
#include "taps_argument.h"
#include "without_gil.h"
#include <pybind11/pybind11.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>

//! Clears Python's error, if it says that an argument has the wrong type or value; throws
//! every other one, such as KeyboardInterrupt.
inline void clear_bad_argument()
{
    for (auto* kind : { PyExc_TypeError, PyExc_ValueError, PyExc_ArithmeticError })
        if (PyErr_ExceptionMatches(kind))
            return PyErr_Clear();
    throw pybind11::error_already_set();
}

//! A number for a parameter that has to be whole, as Python has it. pybind11's own
//! conversion cuts NumPy's float32(2.5) to 2, and its refusal of a number beyond C++'s
//! range, or of 2.0, names no parameter.
class whole_number
{
public:
    //! Of an argument of any kind; false if it is no real number.
    bool load(pybind11::handle argument)
    {
        d_given = pybind11::reinterpret_borrow<pybind11::object>(argument);
        d_value = d_given;
        // NumPy's numbers, and its arrays without dimensions, become Python's, of which
        // complex ones can be told apart.
        if (pybind11::hasattr(argument, "ndim") && pybind11::hasattr(argument, "item") &&
            pybind11::object(argument.attr("ndim")).equal(pybind11::int_(0)))
            d_value = argument.attr("item")();
        auto* value = d_value.ptr();
        return PyNumber_Check(value) && !PySequence_Check(value) &&
               !PyComplex_Check(value);
    }

    //! The number, which may be a float without a fraction. \p lowest and \p highest are
    //! for the text of the error; whether an INTEGER is within them is checked by those
    //! who use it.
    //!
    //! \throws std::invalid_argument naming \p parameter, if the number has a fraction or
    //!         is no INTEGER
    template <class INTEGER>
    INTEGER as(const std::string& parameter,
               INTEGER lowest,
               INTEGER highest = std::numeric_limits<INTEGER>::max()) const
    {
        using pybind11::object;
        const auto whole =
            pybind11::reinterpret_steal<object>(PyNumber_Long(d_value.ptr()));
        if (!whole) {
            clear_bad_argument(); // such as that of a NaN
        } else if (whole.equal(d_value)) {
            int beyond = 0;
            const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
            if (!beyond && value >= std::numeric_limits<INTEGER>::min() &&
                value <= std::numeric_limits<INTEGER>::max())
                return static_cast<INTEGER>(value);
        }
        throw std::invalid_argument(
            "parameter '" + parameter + "' is " + argument_text(d_given) +
            ", but must be a whole number, " + std::to_string(lowest) + " to " +
            std::to_string(highest));
    }

private:
    pybind11::object d_given, d_value;
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
    return pybind11::init([parameter, make](const whole_number& first,
                                            typename converted<ARGS>::type... args) {
        const int number = first.as<int>(parameter, 1);
        return without_gil([&] { return make(number, args...); });
    });
}

//! A method of Python from a \p method whose first parameter is the index of a channel.
template <class BLOCK, class RESULT, class... ARGS>
auto of_channel(RESULT (BLOCK::*method)(int, ARGS...))
{
    return [method](BLOCK& self, const whole_number& channel, ARGS... args) {
        const int index = channel.as<int>("channel", 0, self.channels() - 1);
        return without_gil([&] { return (self.*method)(index, args...); });
    };
}

#endif /* INCLUDED_CLDSP_WHOLE_NUMBER_H */
