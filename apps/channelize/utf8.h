// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads one character of a text in UTF-8, whatever bytes the text has.

#pragma once

#include <string_view>
#include <cstddef>

namespace cldsp::app {

//! A character of a text.
struct character {
    char32_t code;    //!< the value of the byte if it is no UTF-8
    std::size_t size; //!< in bytes
    bool is_utf8;
};

//! The character that begins at a byte of a text. A byte that begins none in UTF-8, also
//! in one that is longer than it needs to be, stands for itself.
inline character character_at(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(at);
    if (first < 0x80)
        return { first, 1, true };
    const character none = { first, 1, false };
    const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first > 0xf4 || size > text.size() - at)
        return none;
    char32_t code = first & (0x7fu >> size);
    for (std::size_t i = 1; i < size; i++) {
        if ((byte(at + i) & 0xc0) != 0x80)
            return none;
        code = code << 6 | (byte(at + i) & 0x3f);
    }
    constexpr char32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (code < least[size] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return none;
    return { code, size, true };
}

} // namespace cldsp::app
