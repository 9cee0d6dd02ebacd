// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A stream that writes numbers alike in every locale, for keys of files.

#pragma once

#include <locale>
#include <sstream>

namespace cldsp {

//! Writes numbers as C++ does by default, whatever locale the program has chosen. Keys of
//! files have to be the same in every program.
class text_stream : public std::ostringstream
{
public:
    text_stream() { imbue(std::locale::classic()); }
};

} // namespace cldsp
