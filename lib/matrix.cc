// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads matrices from lists and messages, and names the element that is wrong.

#include "matrix.h"
#include "message_text.h"
#include <cldsp/errors.h>
#include <cmath>
#include <complex>

namespace gr {
namespace cldsp {

namespace {

std::string place(std::size_t row, std::size_t column)
{
    return "A[" + std::to_string(row) + "][" + std::to_string(column) + "]";
}

bool is_finite(float value) { return std::isfinite(value); }
bool is_finite(const gr_complex& value)
{
    return std::isfinite(value.real()) && std::isfinite(value.imag());
}

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

//! The values of a uniform vector; empty if \p row is none, or its type does not fit.
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
const matrix<T>& checked_matrix(const matrix<T>& A)
{
    if (A.empty() || A.front().empty())
        ::cldsp::throw_invalid("A", "empty", "a matrix of one row and column or more");
    for (std::size_t row = 0; row < A.size(); row++) {
        if (A[row].size() != A.front().size())
            ::cldsp::throw_invalid("A",
                                   "a matrix whose row " + std::to_string(row) + " has " +
                                       std::to_string(A[row].size()) + " values",
                                   "one whose rows all have as many as the first, " +
                                       std::to_string(A.front().size()));
        for (std::size_t column = 0; column < A[row].size(); column++)
            if (!is_finite(A[row][column]))
                ::cldsp::throw_invalid(
                    place(row, column), "not a finite number", "finite");
    }
    return A;
}

template <class T>
const matrix<T>& checked_change(const matrix<T>& now, const matrix<T>& A)
{
    const auto size = [](const matrix<T>& m) {
        return std::to_string(m.size()) + " by " +
               std::to_string(m.empty() ? 0 : m.front().size());
    };
    if (A.size() != now.size() || A.front().size() != now.front().size())
        ::cldsp::throw_invalid(
            "A", "a matrix of " + size(A), "one of " + size(now) + " as at construction");
    return checked_matrix(A);
}

template <class T>
std::vector<T> flattened(const matrix<T>& A)
{
    std::vector<T> values;
    values.reserve(A.size() * A.front().size());
    for (const auto& row : A)
        values.insert(values.end(), row.begin(), row.end());
    return values;
}

template <class T>
std::vector<T> flattened_transpose(const matrix<T>& A)
{
    std::vector<T> values(A.size() * A.front().size());
    for (std::size_t row = 0; row < A.size(); row++)
        for (std::size_t column = 0; column < A[row].size(); column++)
            values[column * A.size() + row] = A[row][column];
    return values;
}

::cldsp::gemm_options gemm_options_of(const std::string& device,
                                      const std::string& variant,
                                      const std::string& plan,
                                      const block_logs& logs,
                                      const std::string& precision)
{
    const engine_choice chosen = with_preferences({ device, variant, "auto", "auto", 0 });
    ::cldsp::gemm_options options;
    options.device = chosen.device;
    options.variant = chosen.variant;
    options.precision = precision;
    options.at_once = plans_later(plan);
    options.log = engine_logger(logs);
    return options;
}

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

#define INSTANTIATE(T)                                                            \
    template const matrix<T>& checked_matrix(const matrix<T>&);                   \
    template const matrix<T>& checked_change(const matrix<T>&, const matrix<T>&); \
    template std::vector<T> flattened(const matrix<T>&);                          \
    template std::vector<T> flattened_transpose(const matrix<T>&);                \
    template matrix<T> matrix_from_message(const pmt::pmt_t&);

INSTANTIATE(float)
INSTANTIATE(gr_complex)
#undef INSTANTIATE

} // namespace cldsp
} // namespace gr
