// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads items of every type as complex numbers, which defines how they are scaled.

#include <cldsp/sample_type.h>

#include <type_traits>
#include <cmath>

namespace cldsp {

namespace {

template <class T>
T item(const void* data, std::size_t index)
{
    return static_cast<const T*>(data)[index];
}

// How the items of a layout are read: at() gives one of them in double precision,
// convert() several of them as complex float. Each layout has the parameters of a row:
// the type of its numbers or their bits, and twice the numbers that mean 0 and 1.

template <class T, int, int>
struct complex_items {
    static constexpr std::size_t bytes = 2 * sizeof(T);
    static constexpr unsigned bits = 8 * sizeof(T);
    static constexpr bool is_complex = true, is_packed = false;
    static constexpr bool is_float = std::is_floating_point_v<T>, is_signed = true;

    static std::complex<double> at(const void* data, std::size_t index)
    {
        return item<std::complex<T>>(data, index);
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++)
            out[i] = item<std::complex<T>>(data, i);
    }
};

template <class T, int TWICE_ZERO, int TWICE_ONE>
struct real_items {
    static_assert(TWICE_ZERO == 0 && TWICE_ONE == 2, "real numbers are not scaled");
    static constexpr std::size_t bytes = sizeof(T);
    static constexpr unsigned bits = 8 * sizeof(T);
    static constexpr bool is_complex = false, is_packed = false;
    static constexpr bool is_float = std::is_floating_point_v<T>;
    static constexpr bool is_signed = std::is_signed_v<T>;

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

template <class T, int TWICE_ZERO, int TWICE_ONE>
struct pair_items {
    static_assert(TWICE_ZERO == 0 || sizeof(T) == 1, "see silent_byte()");
    static constexpr std::size_t bytes = 2 * sizeof(T);
    static constexpr unsigned bits = 8 * sizeof(T);
    static constexpr bool is_complex = true, is_packed = false;
    static constexpr bool is_float = std::is_floating_point_v<T>;
    static constexpr bool is_signed = std::is_signed_v<T>;

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
        return (static_cast<FLOAT>(v) - FLOAT(TWICE_ZERO) / 2) / (FLOAT(TWICE_ONE) / 2);
    }
};

template <unsigned BITS, int TWICE_ZERO, int TWICE_ONE>
struct packed_items {
    static_assert(BITS % 4 == 0 && BITS <= 16, "an item consists of whole bytes");
    static_assert(TWICE_ZERO == 0, "the numbers are signed");
    static constexpr std::size_t bytes = BITS / 4;
    static constexpr unsigned bits = BITS;
    static constexpr bool is_complex = true, is_packed = true;
    static constexpr bool is_float = false, is_signed = true;

    static std::complex<double> at(const void* data, std::size_t index)
    {
        const auto* const from = static_cast<const std::uint8_t*>(data) + bytes * index;
        std::uint32_t both = 0;
        for (std::size_t i = 0; i < bytes; i++)
            both |= std::uint32_t(from[i]) << (8 * i);
        return { value(both), value(both >> BITS) };
    }
    static void convert(const void* data, std::complex<float>* out, std::size_t count)
    {
        for (std::size_t i = 0; i < count; i++)
            out[i] = static_cast<std::complex<float>>(at(data, i));
    }

private:
    static double value(std::uint32_t low_bits)
    {
        constexpr int sign = 1 << (BITS - 1);
        const int number = static_cast<int>(low_bits & (2 * sign - 1));
        return ((number ^ sign) - sign) / (TWICE_ONE / 2.0);
    }
};

struct type_row {
    sample_type type;
    item_format format;
    std::complex<double> (*at)(const void*, std::size_t);
    void (*convert)(const void*, std::complex<float>*, std::size_t);
};

template <class ITEMS>
constexpr type_row row(sample_type type,
                       const char* name,
                       const char* letters,
                       const char* description,
                       double zero,
                       double one)
{
    return { type,
             { name,
               letters,
               description,
               ITEMS::bytes,
               ITEMS::bits,
               ITEMS::is_complex,
               ITEMS::is_float,
               ITEMS::is_signed,
               ITEMS::is_packed,
               zero,
               one },
             ITEMS::at,
             ITEMS::convert };
}

constexpr type_row types[] = {
#define CLDSP_ROW(                                                                      \
    NAME, CAPITALS, LETTERS, LAYOUT, NUMBER, ZERO, ONE, LABEL, DESCRIPTION)             \
    row<LAYOUT##_items<NUMBER, static_cast<int>(2 * ZERO), static_cast<int>(2 * ONE)>>( \
        sample_type::NAME, #NAME, #LETTERS, DESCRIPTION, ZERO, ONE),
    CLDSP_SAMPLE_TYPES(CLDSP_ROW)
#undef CLDSP_ROW
};

const type_row& row_of(sample_type type) { return types[static_cast<std::size_t>(type)]; }

} // namespace

const item_format& item_format_of(sample_type type) { return row_of(type).format; }

std::size_t sample_size(sample_type type) { return row_of(type).format.bytes; }

bool is_complex(sample_type type) { return row_of(type).format.is_complex; }

const char* sample_type_name(sample_type type) { return row_of(type).format.name; }

unsigned char silent_byte(sample_type type)
{
    return static_cast<unsigned char>(std::ceil(row_of(type).format.zero));
}

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
