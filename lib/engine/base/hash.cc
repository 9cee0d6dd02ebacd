// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The FNV-1a hash, as a number and as text.

#include "base/hash.h"

#include <cstdio>

namespace cldsp {

std::uint64_t fnv1a(const std::string& bytes)
{
    std::uint64_t hash = 14695981039346656037u;
    for (const unsigned char c : bytes)
        hash = (hash ^ c) * 1099511628211u;
    return hash;
}

std::string hash_text(const std::string& bytes)
{
    char text[20];
    std::snprintf(
        text, sizeof(text), "%016llx", static_cast<unsigned long long>(fnv1a(bytes)));
    return text;
}

} // namespace cldsp
