// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Swaps bytes and converts numbers of other sizes to floats.

#include "channelize/sample_format.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

namespace cldsp::app {

namespace {

using number = sample_format::number;

//! The engine's type for these numbers, once their bytes are in the machine's order.
std::optional<sample_type> type_of(const number& each, bool is_complex)
{
    // With its highest bit flipped, a byte around 128 is a signed one.
    const bool is_signed =
        each.is_float || each.is_signed || (each.bits == 8 && each.zero_is_middle);
    for (const auto type : all_sample_types()) {
        const auto& format = item_format_of(type);
        if (format.bits == each.bits && format.is_float == each.is_float &&
            format.is_signed == is_signed && format.is_complex == is_complex &&
            !format.is_packed)
            return type;
    }
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
    for (const auto type : all_sample_types())
        if (name == file_ending(type) || name == sample_type_name(type))
            return sample_format(type);
    if (const auto format = of_datatype(name))
        return *format;
    throw_invalid(parameter,
                  "'" + name + "'",
                  file_endings() + ", or a datatype of SigMF such as ci16_le");
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

bool sample_format::is_float() const
{
    return d_native ? item_format_of(d_type).is_float : d_number.is_float;
}

bool has_absurd_value(const float* numbers, std::size_t count)
{
    // Without its sign, a float is larger as an integer if it is larger, and NaN and
    // infinity are larger than all others.
    constexpr std::int32_t magnitude = 0x7fffffff;
    std::int32_t most, beyond = 0;
    std::memcpy(&most, &absurd_value, sizeof most);
    for (std::size_t i = 0; i < count; i++) {
        std::int32_t bits;
        std::memcpy(&bits, numbers + i, sizeof bits);
        beyond |= most - (bits & magnitude);
    }
    return beyond < 0;
}

std::string file_ending(sample_type type)
{
    return type == sample_type::fc32 ? "cf32" : sample_type_name(type);
}

std::string file_endings()
{
    // Recordings mostly have pairs of integers.
    auto types = all_sample_types();
    std::stable_sort(types.begin(), types.end(), [](sample_type a, sample_type b) {
        const auto rank = [](const item_format& format) {
            return std::pair(!format.is_complex, format.is_float);
        };
        return rank(item_format_of(a)) < rank(item_format_of(b));
    });
    std::string text;
    for (const auto type : types)
        text += (text.empty() ? "" : ", ") + file_ending(type);
    return text;
}

double largest_number(sample_type type)
{
    const auto& format = item_format_of(type);
    if (format.is_float)
        return 1;
    // A type that is scaled need not use all bits of its numbers.
    const bool is_scaled = format.is_signed && format.one != 1;
    return is_scaled ? format.one : std::ldexp(1, static_cast<int>(format.bits) - 1);
}

double full_scale(sample_type type)
{
    const auto& format = item_format_of(type);
    return format.is_signed ? largest_number(type) / format.one : 1;
}

} // namespace cldsp::app
