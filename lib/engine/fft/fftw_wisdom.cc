/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "fft/fftw_wisdom.h"

#include <string_view>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace cldsp {

namespace {

// An entry's numbers in bits, as FFTW 3 has kept them since 3.3: the flags that a plan
// asked for at least and at most, how impatient it was, and the problem's hash.
constexpr unsigned flag_bits = 20, impatience_bits = 9, hash_bits = 32;
constexpr std::size_t max_name = 64;

//! Goes through the text, a word at a time.
class reader
{
public:
    explicit reader(std::string_view text) : d_text(text) {}

    bool take(char wanted)
    {
        skip_space();
        if (d_text.empty() || d_text.front() != wanted)
            return false;
        d_text.remove_prefix(1);
        return true;
    }

    bool at_end()
    {
        skip_space();
        return d_text.empty();
    }

    //! E.g. a solver's name.
    bool take_name()
    {
        const auto name = word();
        return !name.empty() && name.size() <= max_name;
    }

    bool take_decimal()
    {
        constexpr std::size_t max_digits = 9;
        const auto digits = word();
        return !digits.empty() && digits.size() <= max_digits &&
               digits.find_first_not_of("0123456789") == digits.npos;
    }

    //! E.g. "#x11bdd".
    bool take_number(unsigned bits)
    {
        constexpr std::size_t max_digits = 8;
        auto digits = word();
        if (digits.substr(0, 2) != "#x")
            return false;
        digits.remove_prefix(2);
        if (digits.empty() || digits.size() > max_digits)
            return false;
        std::uint64_t value = 0;
        for (const char c : digits) {
            const bool is_decimal = c >= '0' && c <= '9';
            if (!is_decimal && !(c >= 'a' && c <= 'f'))
                return false;
            value =
                value << 4 | static_cast<unsigned>(is_decimal ? c - '0' : c - 'a' + 10);
        }
        return value >> bits == 0;
    }

    bool take_hash()
    {
        for (int i = 0; i < 4; i++)
            if (!take_number(hash_bits))
                return false;
        return true;
    }

private:
    void skip_space()
    {
        const auto at = d_text.find_first_not_of(" \n");
        d_text.remove_prefix(std::min(at, d_text.size()));
    }

    std::string_view word()
    {
        skip_space();
        const auto size = std::min(d_text.find_first_of(" \n()"), d_text.size());
        const auto found = d_text.substr(0, size);
        d_text.remove_prefix(size);
        return found;
    }

    std::string_view d_text;
};

} // namespace

bool is_fftw_wisdom(const std::string& text)
{
    // A zero byte would end the text for FFTW.
    if (text.find('\0') != text.npos)
        return false;
    reader words(text);
    if (!words.take('(') || !words.take_name() || !words.take_name() ||
        !words.take_hash())
        return false;
    while (words.take('('))
        if (!words.take_name() || !words.take_decimal() ||
            !words.take_number(flag_bits) || !words.take_number(flag_bits) ||
            !words.take_number(impatience_bits) || !words.take_hash() || !words.take(')'))
            return false;
    return words.take(')') && words.at_end();
}

} // namespace cldsp
