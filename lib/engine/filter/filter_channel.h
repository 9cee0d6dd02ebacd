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

//! One channel of a bank, prepared for computing: its taps, its frequency, and values
//! that follow from these.
struct filter_channel {
    explicit filter_channel(const freq_xlating_fir_problem& problem);

    freq_xlating_fir_problem problem; //!< to be changed only through the setters
    bool real_taps;                   //!< whether the taps before rotation are real
    phase64 step;                     //!< phase step from one input item to the next

    void set_center_freq(double center_freq);
    void set_taps(const std::vector<std::complex<float>>& taps);

    std::size_t taps() const { return problem.taps.size(); }
    //! Whether the taps are \p other, bit for bit.
    bool has_taps(const std::vector<std::complex<float>>& other) const;
    //! The number of input items, history included, that \p outputs outputs read.
    std::size_t window(std::size_t outputs) const
    {
        return outputs ? (outputs - 1) * problem.decimation + taps() : 0;
    }

    /*!
     * The rotated taps h[k] exp(j w k). They are computed when first needed, because
     * executors that translate the input instead of the taps never need them. Only one
     * thread at a time may call this.
     */
    const std::vector<std::complex<double>>& rotated() const;

private:
    mutable std::vector<std::complex<double>> d_rotated; // empty until computed
};

/*!
 * The phase that a change of frequency by \p hertz adds to the rotator of a filter with
 * \p taps taps. The rotator of a new stream begins with the phase of a change from 0 Hz.
 */
phase64 phase_correction(double hertz, double sampling_freq, std::size_t taps);

} // namespace cldsp
