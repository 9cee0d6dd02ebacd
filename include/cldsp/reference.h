// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The plain filter in double precision, and the error of outputs in decibels.

#pragma once

#include <cldsp/filter_problem.h>

#include <complex>
#include <vector>

namespace cldsp {

/*!
 * The plain, slow filter in double precision, with which every implementation is
 * compared.
 *
 * It keeps the items of the stream itself. The stream may be passed in pieces of any
 * size: n items in all give floor(n P / D) outputs in all.
 */
class freq_xlating_fir_reference
{
public:
    explicit freq_xlating_fir_reference(const freq_xlating_fir_problem& problem);
    //! Takes \p items further input items, and returns the outputs that they complete.
    std::vector<std::complex<double>> process(const void* in, std::size_t items);
    //! The new value takes effect at the next output, as in a bank.
    void set_center_freq(double center_freq);
    void set_taps(const std::vector<std::complex<float>>& taps);

private:
    freq_xlating_fir_problem d_problem;
    std::vector<std::complex<double>> d_items; // all items ever, from the stream's start
    std::size_t d_next = 0;                    // index of the next output
    phase64 d_phase;
};

/*!
 * The largest error in dB, relative to the peak of the reference:
 * 20 log10(max|a - b| / max|b|).
 *
 * \param a the outputs to be judged
 * \param b the reference
 * \throws std::invalid_argument if the sizes differ or are 0
 */
double error_db(const std::vector<std::complex<float>>& a,
                const std::vector<std::complex<double>>& b);

} // namespace cldsp
