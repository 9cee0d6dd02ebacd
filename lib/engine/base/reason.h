// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The text of an exception for people, without names of C++'s own.

#pragma once

#include <exception>
#include <new>
#include <stdexcept>
#include <string>

namespace cldsp {

//! The text of an exception for people, who should not read the name of one of C++'s own.
inline std::string reason_of(const std::exception& error)
{
    // A length that no machine has is a lack of memory, too.
    if (dynamic_cast<const std::bad_alloc*>(&error) ||
        dynamic_cast<const std::length_error*>(&error))
        return "there is not enough memory";
    return error.what();
}

} // namespace cldsp
