/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "channelize/sample_format.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

namespace cldsp::app {

namespace {

using number = sample_format::number;

std::optional<sample_type> type_of(const number& each, bool is_complex)
{
    if (each.is_float && each.bits == 32)
        return is_complex ? sample_type::fc32 : sample_type::f32;
    if (each.is_signed && each.bits == 16)
        return is_complex ? sample_type::cs16 : sample_type::s16;
    if (each.bits == 8 && (each.is_signed || each.zero_is_middle))
        return is_complex ? sample_type::cs8 : sample_type::s8;
    if (each.bits == 8 && is_complex)
        return sample_type::cu8;
    return std::nullopt;
}

bool is_known(const number& each)
{
    if (each.is_float)
        return each.bits == 32 || each.bits == 64;
    return each.bits == 8 || each.bits == 16 || each.bits == 24 || each.bits == 32;
}

//! The format of a datatype of SigMF, such as "ri24_be"; empty if there is no such one.
std::optional<sample_format> of_datatype(const std::string& name)
{
    constexpr std::size_t kind_letters = 2;
    const auto bits_end = std::min(name.find('_'), name.size());
    if (name.size() < kind_letters || (name[0] != 'c' && name[0] != 'r') ||
        bits_end < kind_letters)
        return std::nullopt;
    const std::string bits = name.substr(kind_letters, bits_end - kind_letters);
    const std::string order = name.substr(bits_end);
    if ((name[1] != 'f' && name[1] != 'i' && name[1] != 'u') ||
        (order != "_le" && order != "_be" && !(order.empty() && bits == "8")))
        return std::nullopt;
    for (const unsigned known : { 8u, 16u, 24u, 32u, 64u }) {
        number each;
        each.bits = known;
        each.is_float = name[1] == 'f';
        each.is_signed = name[1] != 'u';
        each.big_endian = order == "_be";
        if (bits == std::to_string(known) && is_known(each))
            return sample_format(each, name[0] == 'c');
    }
    return std::nullopt;
}

//! Assembles the bytes of one number, in the file's byte order, to an unsigned integer.
std::uint64_t bits_at(const unsigned char* at, const number& each)
{
    const std::size_t bytes = each.bits / 8;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes; i++)
        bits |= std::uint64_t(at[each.big_endian ? bytes - 1 - i : i]) << (8 * i);
    return bits;
}

float value_of(std::uint64_t bits, const number& each)
{
    if (each.is_float) {
        double value;
        std::memcpy(&value, &bits, sizeof value);
        return static_cast<float>(value);
    }
    const double half = std::ldexp(1, static_cast<int>(each.bits) - 1);
    if (each.is_signed) {
        const unsigned unused = 64 - each.bits;
        const auto value = static_cast<std::int64_t>(bits << unused) >> unused;
        return static_cast<float>(static_cast<double>(value) / half);
    }
    const double middle = each.zero_is_middle ? half : half - 0.5;
    return static_cast<float>((static_cast<double>(bits) - middle) / middle);
}

} // namespace

sample_format::sample_format(sample_type type)
    : d_type(type), d_item_bytes(sample_size(type)), d_native(true)
{
}

sample_format::sample_format(const number& each, bool is_complex) : d_number(each)
{
    if (!is_known(each))
        throw_invalid("sample format",
                      std::to_string(each.bits) +
                          (each.is_float ? "-bit floats" : "-bit integers"),
                      "8-, 16-, 24- or 32-bit integers, or 32- or 64-bit floats");
    const auto type = type_of(each, is_complex);
    d_type = type.value_or(is_complex ? sample_type::fc32 : sample_type::f32);
    d_item_bytes = (is_complex ? 2 : 1) * each.bits / 8;
    const bool flipped = !each.is_float && !each.is_signed && each.zero_is_middle;
    d_native = type && (each.bits == 8 || !each.big_endian) && !flipped;
}

sample_format sample_format::of_name(const std::string& name,
                                     const std::string& parameter)
{
    if (name == "cf32")
        return sample_format(sample_type::fc32);
    for (const auto type : all_sample_types())
        if (name == sample_type_name(type))
            return sample_format(type);
    if (const auto format = of_datatype(name))
        return *format;
    throw_invalid(parameter,
                  "'" + name + "'",
                  "cu8, cs8, cs16, cs12, cf32, s8, s16, f32, or a datatype of SigMF such "
                  "as ci16_le");
}

void sample_format::convert(const unsigned char* file,
                            void* items,
                            std::size_t count) const
{
    if (d_native) {
        std::memcpy(items, file, count * d_item_bytes);
        return;
    }
    const std::size_t bytes = d_number.bits / 8;
    const std::size_t numbers = count * d_item_bytes / bytes;
    auto* out = static_cast<unsigned char*>(items);
    if (d_number.bits == 8 && d_number.zero_is_middle) {
        std::transform(file, file + numbers, out, [](unsigned char byte) {
            return static_cast<unsigned char>(byte ^ 0x80);
        });
    } else if (type_of(d_number, is_complex(d_type))) {
        for (std::size_t i = 0; i < numbers; i++)
            std::reverse_copy(file + i * bytes, file + (i + 1) * bytes, out + i * bytes);
    } else {
        for (std::size_t i = 0; i < numbers; i++) {
            const float value = value_of(bits_at(file + i * bytes, d_number), d_number);
            std::memcpy(out + i * sizeof value, &value, sizeof value);
        }
    }
}

double full_scale(sample_type type)
{
    switch (type) {
    case sample_type::s16:
        return 32768;
    case sample_type::s8:
        return 128;
    default:
        return 1;
    }
}

} // namespace cldsp::app
