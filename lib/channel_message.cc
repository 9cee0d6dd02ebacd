// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads such messages, and tells what is wrong with one that has another form.

#include "block_support.h"
#include "channel_message.h"
#include "message_text.h"
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace gr {
namespace cldsp {

namespace {

const char* const forms =
    "a pair (channel . bool), or a dict with the keys \"chan\" and \"active\", with "
    "\"add\" (taps) and \"freq\" and perhaps \"decimation\" or \"output_rate\", with "
    "\"remove\" (channel), or with \"schedule\" (channel) and \"points\"";

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

bool is_real_number(const pmt::pmt_t& value)
{
    return pmt::is_real(value) || pmt::is_integer(value) || pmt::is_uint64(value);
}

double number_in(const pmt::pmt_t& value)
{
    return pmt::is_uint64(value) ? static_cast<double>(pmt::to_uint64(value))
                                 : pmt::to_double(value);
}

//! The number that a dict has for \p key; 0 if it has none.
double number_of(const pmt::pmt_t& dict, const char* key)
{
    const auto value = value_of(dict, key);
    if (!value)
        return 0;
    if (!is_real_number(value))
        refuse(dict);
    return number_in(value);
}

//! The elements of a vector, a list or a tuple.
std::vector<pmt::pmt_t> elements_of(const pmt::pmt_t& value, const pmt::pmt_t& message)
{
    std::vector<pmt::pmt_t> all;
    if (pmt::is_vector(value)) {
        for (std::size_t i = 0; i < pmt::length(value); i++)
            all.push_back(pmt::vector_ref(value, i));
    } else if (pmt::is_tuple(value)) {
        for (std::size_t i = 0; i < pmt::length(value); i++)
            all.push_back(pmt::tuple_ref(value, i));
    } else {
        auto rest = value;
        for (; pmt::is_pair(rest); rest = pmt::cdr(rest))
            all.push_back(pmt::car(rest));
        if (!pmt::is_null(rest))
            refuse(message);
    }
    return all;
}

//! The numbers (sample, Hz) or (sample, Hz, Hz per second) of a point.
::cldsp::frequency_point point_of(const pmt::pmt_t& value, const pmt::pmt_t& message)
{
    std::vector<double> numbers;
    ::cldsp::frequency_point point;
    if (pmt::is_f64vector(value)) {
        numbers = pmt::f64vector_elements(value);
    } else {
        for (const auto& element : elements_of(value, message)) {
            if (!is_real_number(element))
                refuse(message);
            numbers.push_back(number_in(element));
        }
    }
    if (numbers.size() != 2 && numbers.size() != 3)
        refuse(message);
    if (!(std::abs(numbers[0]) <= 0x1p62) || std::trunc(numbers[0]) != numbers[0])
        refuse(message);
    point.sample = static_cast<std::int64_t>(numbers[0]);
    point.hz = numbers[1];
    point.hz_per_second = numbers.size() == 3 ? numbers[2] : 0;
    return point;
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
    const auto scheduled = value_of(message, "schedule");
    if ((taps ? 1 : 0) + (removed ? 1 : 0) + (active ? 1 : 0) + (scheduled ? 1 : 0) != 1)
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
    } else if (scheduled) {
        const auto points = value_of(message, "points");
        if (!points)
            refuse(message);
        result.action = schedule;
        result.channel = message_channel(pmt::cons(scheduled, pmt::PMT_NIL));
        for (const auto& point : elements_of(points, message))
            result.points.push_back(point_of(point, message));
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

std::optional<frequency_order> frequency_order::of(const pmt::pmt_t& value)
{
    if (!is_complete(value))
        return std::nullopt;
    const auto channel = message_channel(value);
    const auto hz = message_frequency(value);
    if (!channel || !hz)
        return std::nullopt;
    double hz_per_second = 0;
    if (pmt::is_dict(value)) {
        const auto rate = value_of(value, "rate");
        if (rate && !is_real_number(rate))
            return std::nullopt;
        hz_per_second = rate ? number_in(rate) : 0;
    }
    return frequency_order{ *channel, *hz, hz_per_second };
}

} // namespace cldsp
} // namespace gr
