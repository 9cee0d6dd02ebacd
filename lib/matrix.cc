/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "matrix.h"
#include <cldsp/errors.h>
#include <cmath>

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
                                      const block_logs& logs)
{
    const engine_choice chosen = with_preferences({ device, variant, "auto", "auto", 0 });
    ::cldsp::gemm_options options;
    options.device = chosen.device;
    options.variant = chosen.variant;
    options.log = block_logger(logs);
    return options;
}

#define INSTANTIATE(T)                                                            \
    template const matrix<T>& checked_matrix(const matrix<T>&);                   \
    template const matrix<T>& checked_change(const matrix<T>&, const matrix<T>&); \
    template std::vector<T> flattened(const matrix<T>&);                          \
    template std::vector<T> flattened_transpose(const matrix<T>&);

INSTANTIATE(float)
INSTANTIATE(gr_complex)

} // namespace cldsp
} // namespace gr
