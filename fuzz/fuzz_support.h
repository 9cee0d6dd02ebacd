// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the fuzzers share: promises that must hold, and bytes of the input.

#pragma once

#include <cldsp/errors.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace fuzz {

inline std::string text_of(const std::uint8_t* data, std::size_t size)
{
    return { reinterpret_cast<const char*>(data), size };
}

//! Ends the process if \p holds is false; libFuzzer then reports the input.
inline void require(bool holds, const char* what)
{
    if (holds)
        return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

//! Runs an action that may refuse its input, but only with an exception that its
//! documentation names.
//! \return whether the action accepted its input
template <class Action>
bool taken(const Action& action)
{
    try {
        action();
        return true;
    } catch (const std::invalid_argument& e) {
        require(e.what()[0] != 0, "a refusal says why");
        return false;
    }
}

//! Takes bytes from the front of an input, and zeros after its end.
class bytes
{
public:
    bytes(const std::uint8_t* data, std::size_t size) : d_data(data), d_left(size) {}

    bool empty() const { return d_left == 0; }

    std::uint8_t byte()
    {
        if (d_left == 0)
            return 0;
        d_left--;
        return *d_data++;
    }

    std::uint64_t number(int width)
    {
        std::uint64_t value = 0;
        for (int i = 0; i < width; i++)
            value = value << 8 | byte();
        return value;
    }

    //! A text whose length is given by its first byte, or that ends with the input.
    std::string text()
    {
        const std::size_t wanted = byte();
        return take(wanted < d_left ? wanted : d_left);
    }

    std::string rest() { return take(d_left); }

private:
    std::string take(std::size_t size)
    {
        const std::string value = text_of(d_data, size);
        d_data += size;
        d_left -= size;
        return value;
    }

    const std::uint8_t* d_data;
    std::size_t d_left;
};

} // namespace fuzz
