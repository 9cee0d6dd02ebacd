/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fftw_plan.h"
#include "overlap_save_simd.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * A channel's response, as much of it as counts, in the order in which fold_channel
 * reads.
 *
 * Where the gains of a row's vector are below 2^-11 of the response's largest one, which
 * is most of a stopband, they are integers in steps of 2^-26 of it: their rounding is
 * below that of the passband's floats, and they take half the memory.
 */
struct fold_response {
    bool real = false;            //!< real gains, all of them to be turned
    std::complex<float> turn = 1; //!< by this
    float fine_step = 0;
    std::vector<fold_run> runs;
    fftw_vector<float> gains;
};

/*!
 * The tiles of a response where any bin's gain is above \p accuracy times the largest
 * one. At 0 that leaves out nothing but zeros.
 *
 * \param gathered the response in the order of overlap_save_kernels::gather()
 * \param real leaves the imaginary parts out
 */
void select_tiles(const fftw_vector<float>& gathered,
                  std::size_t lanes,
                  std::size_t rows,
                  bool real,
                  double accuracy,
                  fold_response& out);

/*!
 * Whether taps are the same backwards, conjugated and turned: h[N - 1 - k] = t^2
 * conj(h[k]) to a float's rounding. Then t is \p turn, of magnitude 1, and h / t has a
 * real response about the middle tap.
 */
bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn);

} // namespace cldsp
