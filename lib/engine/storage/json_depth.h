// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds JSON texts that are nested too deeply, before they are parsed.

#pragma once

#include <cstddef>
#include <string>

namespace cldsp {

/*!
 * Whether the brackets of a JSON text are nested more than \p max_depth levels deep. The
 * functions that print and destroy such values recurse once for each level, and very deep
 * values would end the process.
 *
 * The parser itself could count the levels in a callback, but with a callback it searches
 * a whole array again for each of its elements.
 */
inline bool is_nested_deeper(const std::string& text, std::size_t max_depth)
{
    std::size_t depth = 0;
    bool in_string = false, escaped = false;
    for (const char c : text) {
        if (in_string) {
            in_string = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '[' || c == '{') {
            if (++depth > max_depth)
                return true;
        } else if ((c == ']' || c == '}') && depth-- == 0) {
            return false; // not JSON: the parser stops here
        }
    }
    return false;
}

} // namespace cldsp
