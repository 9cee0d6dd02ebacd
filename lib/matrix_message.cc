/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "matrix.h"
#include "message_text.h"
#include <cldsp/errors.h>
#include <complex>

namespace gr {
namespace cldsp {

namespace {

bool is_list(const pmt::pmt_t& value)
{
    return pmt::is_vector(value) || pmt::is_tuple(value);
}

pmt::pmt_t item(const pmt::pmt_t& list, std::size_t index)
{
    return pmt::is_vector(list) ? pmt::vector_ref(list, index)
                                : pmt::tuple_ref(list, index);
}

template <class T>
T number(const pmt::pmt_t& value, const std::string& where)
{
    if (pmt::is_uint64(value))
        return static_cast<float>(pmt::to_uint64(value));
    if (pmt::is_real(value) || pmt::is_integer(value))
        return static_cast<float>(pmt::to_double(value));
    if constexpr (std::is_same_v<T, gr_complex>)
        if (pmt::is_complex(value))
            return static_cast<gr_complex>(pmt::to_complex(value));
    ::cldsp::throw_invalid(where,
                           message_text(value),
                           std::is_same_v<T, gr_complex> ? "a number" : "a real number");
}

template <class T, class ELEMENT>
std::vector<T> converted(const ELEMENT* values, std::size_t count)
{
    std::vector<T> row;
    row.reserve(count);
    for (std::size_t i = 0; i < count; i++)
        row.push_back(static_cast<T>(values[i]));
    return row;
}

//! Of a uniform vector; empty if it is none, or one whose values do not fit.
template <class T>
std::vector<T> uniform_row(const pmt::pmt_t& row)
{
    std::size_t count = 0;
#define TRY_REAL(kind)                                               \
    if (pmt::is_##kind##vector(row)) {                               \
        const auto* values = pmt::kind##vector_elements(row, count); \
        return converted<T>(values, count);                          \
    }
    TRY_REAL(f32)
    TRY_REAL(f64)
    TRY_REAL(u8)
    TRY_REAL(s8)
    TRY_REAL(u16)
    TRY_REAL(s16)
    TRY_REAL(u32)
    TRY_REAL(s32)
    TRY_REAL(u64)
    TRY_REAL(s64)
#undef TRY_REAL
    if constexpr (std::is_same_v<T, gr_complex>) {
        if (pmt::is_c32vector(row)) {
            const auto* values = pmt::c32vector_elements(row, count);
            return converted<T>(values, count);
        }
        if (pmt::is_c64vector(row)) {
            const auto* values = pmt::c64vector_elements(row, count);
            return converted<T>(values, count);
        }
    }
    return {};
}

template <class T>
std::vector<T> row_from(const pmt::pmt_t& row, const std::string& where)
{
    if (!is_list(row)) {
        auto values = uniform_row<T>(row);
        if (values.empty())
            ::cldsp::throw_invalid(where,
                                   message_text(row),
                                   "a row: a vector or tuple of numbers, or a uniform "
                                   "vector of numbers that fit the block's type");
        return values;
    }
    std::vector<T> values;
    for (std::size_t i = 0; i < pmt::length(row); i++)
        values.push_back(number<T>(item(row, i), where + "[" + std::to_string(i) + "]"));
    return values;
}

} // namespace

template <class T>
matrix<T> matrix_from_message(const pmt::pmt_t& message)
{
    if (!is_list(message))
        ::cldsp::throw_invalid("A", message_text(message), "a vector or tuple of rows");
    matrix<T> rows;
    for (std::size_t i = 0; i < pmt::length(message); i++)
        rows.push_back(row_from<T>(item(message, i), "A[" + std::to_string(i) + "]"));
    if (rows.empty())
        ::cldsp::throw_invalid("A", "empty", "a vector or tuple of rows");
    return rows;
}

template matrix<float> matrix_from_message(const pmt::pmt_t&);
template matrix<gr_complex> matrix_from_message(const pmt::pmt_t&);

} // namespace cldsp
} // namespace gr
