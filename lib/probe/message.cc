// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads the message, and refuses unknown keys and bad values.

#include "message_text.h"
#include "probe/message.h"
#include <cldsp/errors.h>
#include <cmath>

namespace gr {
namespace cldsp {

namespace {

//! Whether a message is a dict that has only pairs. (PMT takes every pair for a dict.)
bool is_record(pmt::pmt_t message)
{
    for (; pmt::is_pair(message); message = pmt::cdr(message))
        if (!pmt::is_pair(pmt::car(message)) ||
            !pmt::is_symbol(pmt::car(pmt::car(message))))
            return false;
    return pmt::is_null(message);
}

std::string text_of(const std::string& key, const pmt::pmt_t& value)
{
    if (!pmt::is_symbol(value) || pmt::symbol_to_string(value).empty())
        ::cldsp::throw_invalid(key, message_text(value), "a string");
    return pmt::symbol_to_string(value);
}

double number_of(const std::string& key, const pmt::pmt_t& value)
{
    double number = 0;
    if (pmt::is_uint64(value))
        number = static_cast<double>(pmt::to_uint64(value));
    else if (pmt::is_real(value) || pmt::is_integer(value))
        number = pmt::to_double(value);
    // 0 is refused, because it means the value of the probe in a probe_wish.
    if (!std::isfinite(number) || number <= 0)
        ::cldsp::throw_invalid(key, message_text(value), "a number, 0.1 to 3600");
    return number;
}

} // namespace

probe_wish probe_wish_of(const pmt::pmt_t& message)
{
    probe_wish wish;
    if (pmt::is_symbol(message))
        wish.stop = pmt::symbol_to_string(message) == "stop";
    if (!is_record(message))
        return wish;
    for (pmt::pmt_t rest = message; pmt::is_pair(rest); rest = pmt::cdr(rest)) {
        const std::string key = pmt::symbol_to_string(pmt::car(pmt::car(rest)));
        const pmt::pmt_t value = pmt::cdr(pmt::car(rest));
        if (key == "what")
            wish.what = text_of(key, value);
        else if (key == "strategy")
            wish.strategy = text_of(key, value);
        else if (key == "budget_s")
            wish.budget_s = number_of(key, value);
        else if (key == "stop" && pmt::is_bool(value))
            wish.stop = pmt::to_bool(value);
        else
            ::cldsp::throw_invalid(
                "message",
                "'" + beginning_of(key) + "': " + message_text(value),
                "a dict of what, budget_s, strategy and stop (a bool)");
    }
    return wish;
}

} // namespace cldsp
} // namespace gr
