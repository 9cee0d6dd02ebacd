/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/sample_type.h>

namespace cldsp {

namespace {

template <class T>
T item(const void* data, std::size_t index)
{
    return static_cast<const T*>(data)[index];
}

// How the items of a type are read: at() gives one of them in double precision, convert()
// several of them as complex float.

struct complex_floats {
    static std::complex<double> at(const void* data, std::size_t index)
    {
        return item<std::complex<float>>(data, index);
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++)
            out[i] = item<std::complex<float>>(data, i);
    }
};

template <class T>
struct real_numbers {
    static std::complex<double> at(const void* data, std::size_t index)
    {
        return item<T>(data, index);
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++)
            out[i] = { static_cast<float>(item<T>(data, i)), 0.0f };
    }
};

//! Pairs of integers. \tparam HALVES twice the offset: (2 v - HALVES) / (2 full scale)
template <class T, int HALVES, int TWICE_FULL_SCALE>
struct pairs {
    static std::complex<double> at(const void* data, std::size_t index)
    {
        return { value<double>(item<T>(data, 2 * index)),
                 value<double>(item<T>(data, 2 * index + 1)) };
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        float* parts = reinterpret_cast<float*>(out);
        for (std::size_t i = 0; i < 2 * count; i++)
            parts[i] = value<float>(item<T>(data, i));
    }

private:
    // This is a division instead of a multiplication by the reciprocal: the result is
    // then the nearest float to the scaled value.
    template <class FLOAT>
    static FLOAT value(T v)
    {
        return (static_cast<FLOAT>(v) - FLOAT(HALVES) / 2) /
               (FLOAT(TWICE_FULL_SCALE) / 2);
    }
};

struct packed_12_bit_pairs {
    static std::complex<double> at(const void* data, std::size_t index)
    {
        const auto* const bytes = static_cast<const std::uint8_t*>(data) + 3 * index;
        return { signed_12_bit(bytes[0] | (bytes[1] & 0x0f) << 8) / 2048.0,
                 signed_12_bit(bytes[1] >> 4 | bytes[2] << 4) / 2048.0 };
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++)
            out[i] = static_cast<std::complex<float>>(at(data, i));
    }

private:
    static int signed_12_bit(int bits) { return (bits ^ 0x800) - 0x800; }
};

struct type_row {
    sample_type type;
    const char* name;
    std::size_t bytes;
    bool is_complex;
    std::complex<double> (*at)(const void*, std::size_t);
    void (*convert)(const void*, std::complex<float>*, std::size_t);
};

template <class ITEMS>
constexpr type_row
row(sample_type type, const char* name, std::size_t bytes, bool is_complex)
{
    return { type, name, bytes, is_complex, ITEMS::at, ITEMS::convert };
}

// In the order of the enumerators.
constexpr type_row types[] = {
    row<complex_floats>(sample_type::fc32, "fc32", 8, true),
    row<real_numbers<float>>(sample_type::f32, "f32", 4, false),
    row<real_numbers<std::int16_t>>(sample_type::s16, "s16", 2, false),
    row<pairs<std::uint8_t, 255, 255>>(sample_type::cu8, "cu8", 2, true),
    row<pairs<std::int8_t, 0, 256>>(sample_type::cs8, "cs8", 2, true),
    row<pairs<std::int16_t, 0, 65536>>(sample_type::cs16, "cs16", 4, true),
    row<real_numbers<std::int8_t>>(sample_type::s8, "s8", 1, false),
    row<packed_12_bit_pairs>(sample_type::cs12, "cs12", 3, true),
};

constexpr bool rows_are_in_order()
{
    std::size_t index = 0;
    for (const auto& row : types)
        if (static_cast<std::size_t>(row.type) != index++)
            return false;
    return true;
}
static_assert(rows_are_in_order(), "a type's row is found by its number");

const type_row& row_of(sample_type type) { return types[static_cast<std::size_t>(type)]; }

} // namespace

std::size_t sample_size(sample_type type) { return row_of(type).bytes; }

bool is_complex(sample_type type) { return row_of(type).is_complex; }

const char* sample_type_name(sample_type type) { return row_of(type).name; }

const std::vector<sample_type>& all_sample_types()
{
    static const auto& all = *[] {
        auto* const list = new std::vector<sample_type>;
        for (const auto& row : types)
            list->push_back(row.type);
        return list;
    }();
    return all;
}

std::complex<double> sample_at(const void* data, sample_type type, std::size_t index)
{
    return row_of(type).at(data, index);
}

void convert_samples(const void* data,
                     sample_type type,
                     std::complex<float>* out,
                     std::size_t count)
{
    row_of(type).convert(data, out, count);
}

} // namespace cldsp
