/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/filter_problem.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! One channel of a bank, prepared for computing: its taps, its frequency, and what
//! follows from them.
struct filter_channel {
    explicit filter_channel(const freq_xlating_fir_problem& problem);

    freq_xlating_fir_problem problem; //!< to be changed through the setters alone
    bool real_taps;                   //!< the prototype's, not the rotated ones
    phase64 step;                     //!< turns of one input item

    void set_center_freq(double center_freq);
    void set_taps(const std::vector<std::complex<float>>& taps);

    std::size_t taps() const { return problem.taps.size(); }
    //! Whether \p other is the very same prototype.
    bool has_taps(const std::vector<std::complex<float>>& other) const;
    //! Input items, history included, that \p outputs outputs read.
    std::size_t window(std::size_t outputs) const
    {
        return outputs ? (outputs - 1) * problem.decimation + taps() : 0;
    }

    /*!
     * h[k] exp(j w k). They are computed lazily, because executors that translate the
     * input instead of the taps never need them. One thread at a time.
     */
    const std::vector<std::complex<double>>& rotated() const;

private:
    mutable std::vector<std::complex<double>> d_rotated; // empty: to be computed
};

/*!
 * What a change of frequency by \p hertz adds to the rotator of a filter with \p taps
 * taps. A new stream's rotator has it from 0 Hz on.
 */
phase64 phase_correction(double hertz, double sampling_freq, std::size_t taps);

} // namespace cldsp
