/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "fft/fftw_plan.h"

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

/*!
 * Where a block lies in the items that are transformed, and where its outputs then are.
 *
 * The block begins \p shift items after their start and wraps round their end; half_item
 * says that its spectrum is then delayed by half an item. That makes the delay of
 * linear-phase taps as long as the reach a whole number of outputs, which the inverse
 * transform gives at another place; what is left of their response is real.
 */
struct block_placement {
    //! \param half_items whether half an item's delay may be asked for
    block_placement(std::size_t decimation, std::size_t reach, bool half_items);

    std::size_t decimation;
    std::size_t reach;
    std::size_t shift;
    bool half_item;
};

//! A channel's taps, placed for the transform that gives its response.
struct placed_taps {
    //! \param taps rotated ones, at most the reach
    //! \param out as many values as the transform has, all of which are written; they
    //!        include the forward and inverse transforms' scale
    placed_taps(const std::vector<std::complex<double>>& taps,
                const block_placement& block,
                fftw_vector<std::complex<float>>& out);

    std::size_t first; //!< index of the first output in the inverse transform
    //! The response, advanced by half an item if the block asks for it, is real but for
    //! rounding; and outputs are to be multiplied by the factor, which is 1 else.
    bool real;
    std::complex<float> factor;
};

/*!
 * Whether taps are the same backwards, conjugated and turned: h[N - 1 - k] = t^2
 * conj(h[k]) to a float's rounding. Then t is \p turn, of magnitude 1, and h / t has a
 * real response about the middle tap.
 */
bool is_linear_phase(const std::vector<std::complex<double>>& taps,
                     std::complex<double>& turn);

} // namespace cldsp
