// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The beginning of a refused argument as Python shows it, in one line.

#ifndef INCLUDED_CLDSP_ARGUMENT_TEXT_H
#define INCLUDED_CLDSP_ARGUMENT_TEXT_H

#include <pybind11/pybind11.h>
#include <algorithm>
#include <exception>
#include <string>

//! The beginning of what Python shows of a refused argument, in one line.
inline std::string argument_text(const pybind11::handle& value)
{
    // An integer of thousands of digits is not shown, nor is half of a surrogate pair.
    const auto type_text = std::string("of type ") + Py_TYPE(value.ptr())->tp_name;
    std::string text;
    try {
        // Python cuts at a character: it would refuse half of one in an exception's text.
        const pybind11::str shown = pybind11::repr(value)[pybind11::slice(0, 200, 1)];
        text = shown.cast<std::string>();
    } catch (pybind11::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) // such as KeyboardInterrupt
            throw;
        text = type_text;
    } catch (const std::exception&) {
        // An integer of thousands of digits is not shown, nor is half of a surrogate
        // pair.
        text = std::string("of type ") + Py_TYPE(value.ptr())->tp_name;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

//! After a conversion of an argument: pybind11 throws Python's TypeError where an array
//! has no dimensions. Throws \p error if it is another one, such as KeyboardInterrupt.
inline void require_type_error(const pybind11::error_already_set& error)
{
    if (!error.matches(PyExc_TypeError))
        throw error;
}

#endif /* INCLUDED_CLDSP_ARGUMENT_TEXT_H */
