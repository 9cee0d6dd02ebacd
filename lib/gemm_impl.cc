// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the matrix and its sizes, and multiplies the vectors of each call.

#include "gemm_impl.h"
#include "probe/kernels_to_tune.h"
#include <gnuradio/io_signature.h>
#include <cldsp/errors.h>
#include <type_traits>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gr {
namespace cldsp {

namespace {

template <class T>
gr::io_signature::sptr vectors(std::size_t length)
{
    constexpr std::size_t most = std::numeric_limits<int>::max() / sizeof(T);
    if (length > most)
        ::cldsp::throw_invalid("A",
                               "a matrix of " + std::to_string(length) +
                                   " rows or columns",
                               "one of at most " + std::to_string(most));
    return gr::io_signature::make(1, 1, static_cast<int>(length * sizeof(T)));
}

//! The type of the elements of the output items.
template <class T>
using result_of = std::conditional_t<std::is_same_v<T, std::int8_t>, std::int32_t, T>;

//! The product of a call with as many items as the block asks for: enough to make the
//! cost of a call small for each item, but so few that buffers of 1 MiB suffice.
template <class T>
::cldsp::gemm_shape typical_product(const matrix<typename gemm<T>::value>& A)
{
    constexpr std::size_t bytes = 256 * 1024, most = 8192;
    const std::size_t rows = A.size(), columns = A.front().size();
    const std::size_t item = std::max(rows * sizeof(result_of<T>), columns * sizeof(T));
    return { std::clamp<std::size_t>(bytes / item, 1, most), rows, columns };
}

template <class T>
const char* block_name()
{
    return std::is_same_v<T, std::int8_t> ? "gemm_bi"
           : std::is_same_v<T, float>     ? "gemm_ff"
                                          : "gemm_cc";
}

/*!
 * Checks that a matrix has elements of type T.
 *
 * \throws std::invalid_argument if T is std::int8_t, and a value is no whole number from
 * -128 to 127, or there are too many columns
 * \return A
 */
template <class T>
const matrix<typename gemm<T>::value>&
checked_elements(const matrix<typename gemm<T>::value>& A)
{
    if constexpr (std::is_same_v<T, std::int8_t>) {
        if (A.front().size() > ::cldsp::max_s8_terms)
            ::cldsp::throw_invalid(
                "A",
                "a matrix of " + std::to_string(A.front().size()) + " columns",
                "one of at most " + std::to_string(::cldsp::max_s8_terms) +
                    ", because sums have 32 bits");
        for (std::size_t row = 0; row < A.size(); row++)
            for (std::size_t column = 0; column < A[row].size(); column++) {
                const float value = A[row][column];
                if (value < -128 || value > 127 || value != std::floor(value))
                    ::cldsp::throw_invalid("A[" + std::to_string(row) + "][" +
                                               std::to_string(column) + "]",
                                           ::cldsp::number_text(value),
                                           "a whole number from -128 to 127");
            }
    }
    return A;
}

::cldsp::gemm_options with_held_b(::cldsp::gemm_options options)
{
    options.held_b = true;
    return options;
}

} // namespace

template <class T>
typename gemm<T>::sptr gemm<T>::make(const std::vector<std::vector<value>>& A,
                                     const std::string& device,
                                     const std::string& variant,
                                     const std::string& precision,
                                     const std::string& plan)
{
    return gnuradio::make_block_sptr<gemm_impl<T>>(
        checked_elements<T>(checked_matrix(A)), device, variant, precision, plan);
}

template <class T>
gemm_impl<T>::gemm_impl(const matrix<value>& A,
                        const std::string& device,
                        const std::string& variant,
                        const std::string& precision,
                        const std::string& plan)
    : gr::sync_block(
          block_name<T>(), vectors<T>(A.front().size()), vectors<result_of<T>>(A.size())),
      base(with_held_b(gemm_options_of(
               device, variant, plan, { d_logger, d_debug_logger }, precision)),
           [typical = typical_product<T>(A)](const ::cldsp::gemm_options& options) {
               return ::cldsp::gemm(gemm_type_of<T>(), typical, options, registry());
           }),
      d_rows(A.size()),
      d_columns(A.front().size()),
      d_typical(typical_product<T>(A)),
      d_wanted(A)
{
    apply_change();
    renew_report(true);
    take_large_calls(static_cast<int>(d_typical.m));
    take_messages("set_A", [this](const pmt::pmt_t& message) {
        set_A(pmt::is_symbol(message) ? load_npy<value>(pmt::symbol_to_string(message))
                                      : matrix_from_message<value>(message));
    });
}

template <class T>
std::vector<kernel_to_tune> gemm_impl<T>::kernels_to_tune() const
{
    const auto& variant = d_options.variant;
    return if_tunable(variant, gemm_kernel(gemm_type_of<T>(), d_typical, variant));
}

template <class T>
::cldsp::kernel_work gemm_impl<T>::average_work() const
{
    const double outputs = outputs_of_a_call(statistics());
    const auto items =
        static_cast<std::size_t>(std::lround(outputs / static_cast<double>(d_rows)));
    return gemm_work(gemm_type_of<T>(), { items, d_rows, d_columns });
}

template <class T>
void gemm_impl<T>::set_A(const matrix<value>& A)
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    d_wanted = checked_elements<T>(checked_change(d_wanted, A));
    d_changed = true;
}

template <class T>
matrix<typename gemm_impl<T>::value> gemm_impl<T>::A() const
{
    const std::lock_guard<std::mutex> guard(d_wanted_mutex);
    return d_wanted;
}

template <class T>
bool gemm_impl<T>::apply_change()
{
    if (!d_changed)
        return false;
    std::vector<T> transpose;
    {
        const std::lock_guard<std::mutex> guard(d_wanted_mutex);
        d_changed = false;
        const auto values = flattened_transpose(d_wanted);
        transpose.assign(values.begin(), values.end());
    }
    d_engine->hold_b(d_columns, d_rows, { transpose.data(), d_rows });
    return true;
}

template <class T>
int gemm_impl<T>::work(int noutput_items,
                       gr_vector_const_void_star& input_items,
                       gr_vector_void_star& output_items)
{
    return work_with_engine(noutput_items, [&] {
        if (d_engine.renew())
            d_changed = true; // the new engine has no matrix yet
        const bool changed = apply_change();
        d_engine->multiply_held(static_cast<std::size_t>(noutput_items),
                                1,
                                { input_items[0], d_columns },
                                0,
                                { output_items[0], d_rows });
        return changed;
    });
}

template class gemm<float>;
template class gemm<gr_complex>;
template class gemm<std::int8_t>;

} // namespace cldsp
} // namespace gr
