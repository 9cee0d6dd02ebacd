// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Throws the error of an argument that is out of its range.

#ifndef INCLUDED_TRUNK_RECORDER_REFUSE_H
#define INCLUDED_TRUNK_RECORDER_REFUSE_H

#include <sstream>
#include <stdexcept>
#include <string>

namespace trunk_recorder {

//! Throws the error of an argument out of its range.
template <class T>
[[noreturn]] void refuse(const char* parameter, const T& value, const std::string& range)
{
    std::ostringstream text;
    text.precision(12);
    text << "parameter '" << parameter << "' is " << value << ", but must be " << range;
    throw std::invalid_argument(text.str());
}

} // namespace trunk_recorder

#endif /* INCLUDED_TRUNK_RECORDER_REFUSE_H */
