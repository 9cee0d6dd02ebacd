/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "block_support.h"
#include "channel_message.h"
#include "message_text.h"
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace gr {
namespace cldsp {

namespace {

const char* const forms =
    "a pair (channel . bool), or a dict with the keys \"chan\" and \"active\", with "
    "\"add\" (taps) and \"freq\" and perhaps \"decimation\" or \"output_rate\", or with "
    "\"remove\" (channel)";

[[noreturn]] void refuse(const pmt::pmt_t& message)
{
    throw std::invalid_argument("it is " + message_text(message) + ", but must be " +
                                forms);
}

//! A value of a dict; null: the dict does not have the key.
pmt::pmt_t value_of(const pmt::pmt_t& dict, const char* key)
{
    return pmt::dict_ref(dict, pmt::intern(key), pmt::pmt_t());
}

//! The taps in a uniform vector, or in a vector of numbers.
std::vector<gr_complex> taps_of(const pmt::pmt_t& value, const pmt::pmt_t& message)
{
    if (pmt::is_c32vector(value))
        return pmt::c32vector_elements(value);
    if (pmt::is_c64vector(value)) {
        const auto taps = pmt::c64vector_elements(value);
        return { taps.begin(), taps.end() };
    }
    if (pmt::is_f32vector(value)) {
        const auto taps = pmt::f32vector_elements(value);
        return { taps.begin(), taps.end() };
    }
    if (pmt::is_f64vector(value)) {
        const auto taps = pmt::f64vector_elements(value);
        return { taps.begin(), taps.end() };
    }
    if (!pmt::is_vector(value))
        refuse(message);
    std::vector<gr_complex> taps;
    for (std::size_t i = 0; i < pmt::length(value); i++) {
        const auto tap = pmt::vector_ref(value, i);
        if (!pmt::is_number(tap))
            refuse(message);
        taps.emplace_back(pmt::to_complex(tap));
    }
    return taps;
}

//! A number of a dict that may be missing, which is 0.
double number_of(const pmt::pmt_t& dict, const char* key)
{
    const auto value = value_of(dict, key);
    if (!value)
        return 0;
    if (!pmt::is_real(value) && !pmt::is_integer(value) && !pmt::is_uint64(value))
        refuse(dict);
    return pmt::is_uint64(value) ? static_cast<double>(pmt::to_uint64(value))
                                 : pmt::to_double(value);
}

} // namespace

channel_message channel_message::of(const pmt::pmt_t& message)
{
    channel_message result{};
    result.channel = message_channel(message);
    if (!pmt::is_dict(message)) {
        if (!result.channel || !pmt::is_bool(pmt::cdr(message)))
            refuse(message);
        result.action = activate;
        result.active = pmt::to_bool(pmt::cdr(message));
        return result;
    }

    const auto taps = value_of(message, "add");
    const auto removed = value_of(message, "remove");
    const auto active = value_of(message, "active");
    if ((taps ? 1 : 0) + (removed ? 1 : 0) + (active ? 1 : 0) != 1)
        refuse(message); // no action, or several
    if (taps) {
        const auto frequency = message_frequency(message);
        const bool names_slot = value_of(message, "chan") || value_of(message, "channel");
        if (!frequency || names_slot != result.channel.has_value())
            refuse(message);
        result.action = add;
        result.taps = taps_of(taps, message);
        result.center_freq = *frequency;
        const double decimation = number_of(message, "decimation");
        if (std::trunc(decimation) != decimation ||
            std::abs(decimation) > std::numeric_limits<int>::max())
            refuse(message);
        result.decimation = static_cast<int>(decimation);
        result.output_rate = number_of(message, "output_rate");
    } else if (removed) {
        result.action = remove;
        result.channel = message_channel(pmt::cons(removed, pmt::PMT_NIL));
    } else {
        if (!pmt::is_bool(active))
            refuse(message);
        result.action = activate;
        result.active = pmt::to_bool(active);
    }
    if (result.action != add && !result.channel)
        refuse(message);
    return result;
}

} // namespace cldsp
} // namespace gr
