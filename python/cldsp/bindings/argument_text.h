/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_ARGUMENT_TEXT_H
#define INCLUDED_CLDSP_ARGUMENT_TEXT_H

#include <pybind11/pybind11.h>
#include <algorithm>
#include <exception>
#include <string>

//! The beginning of what Python shows of a refused argument, in one line.
inline std::string argument_text(const pybind11::handle& value)
{
    std::string text;
    try {
        // Python cuts at a character: it would refuse half of one in an exception's text.
        const pybind11::str shown = pybind11::repr(value)[pybind11::slice(0, 200, 1)];
        text = shown.cast<std::string>();
    } catch (const std::exception&) {
        // An integer of thousands of digits is not shown, nor is half of a surrogate
        // pair.
        text = std::string("of type ") + Py_TYPE(value.ptr())->tp_name;
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

#endif /* INCLUDED_CLDSP_ARGUMENT_TEXT_H */
