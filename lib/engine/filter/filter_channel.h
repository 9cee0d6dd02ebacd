// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A channel as executors take it: shared taps, a phase step, and what follows from them.

#pragma once

#include <cldsp/filter_problem.h>
#include <cldsp/shared_taps.h>

#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

//! A freq_xlating_fir_problem whose copies share the taps.
struct channel_problem {
    sample_type input;
    std::size_t decimation;
    shared_taps taps;
    double center_freq;
    double sampling_freq;
    phase_reference phase;
    std::size_t interpolation;

    channel_problem(const freq_xlating_fir_problem& problem);
    //! A channel of a bank.
    channel_problem(const freq_xlating_filter_bank_problem& bank,
                    const rate_ratio& its_rate,
                    shared_taps its_taps,
                    double its_center_freq);
    operator freq_xlating_fir_problem() const
    {
        return { input,         decimation, taps,         center_freq,
                 sampling_freq, phase,      interpolation };
    }
    rate_ratio rate() const { return { interpolation, decimation }; }
    //! Turns per input sample at the centre frequency.
    phase64 step() const;
};

//! One channel of a bank, prepared for computing: its taps, its frequency, and values
//! that follow from these.
struct filter_channel {
    explicit filter_channel(const channel_problem& problem);
    explicit filter_channel(const freq_xlating_fir_problem& its_problem)
        : filter_channel(channel_problem(its_problem))
    {
    }

    channel_problem problem; //!< to be changed only through the setters
    bool real_taps;          //!< whether the taps before rotation are real
    phase64 step;            //!< phase step from one input item to the next

    void set_center_freq(double center_freq);
    void set_taps(const shared_taps& taps);

    std::size_t taps() const { return problem.taps.size(); }
    //! The number of items that an output needs, including its newest one: taps(), and
    //! the further taps of the interpolation if outputs lie between items.
    std::size_t items_of_output() const
    {
        return taps() + problem.rate().further_taps();
    }
    //! Whether the taps are \p other, bit for bit.
    bool has_taps(const shared_taps::values& other) const;
    //! The number of input items, history included, that \p outputs outputs read.
    std::size_t window(std::size_t outputs) const
    {
        return outputs ? (outputs - 1) * problem.decimation + taps() : 0;
    }

    //! The rotated taps h[k] exp(j w k). They take twice the memory of the taps, so that
    //! they are computed anew each time.
    std::vector<std::complex<double>> rotated() const;
};

//! The channels of a bank, which share its taps.
std::vector<filter_channel> make_channels(const freq_xlating_filter_bank_problem& bank);

/*!
 * The phase that a change of frequency by \p hertz adds to the rotator of a filter with
 * \p taps taps. The rotator of a new stream begins with the phase of a change from 0 Hz.
 */
phase64 phase_correction(double hertz, double sampling_freq, std::size_t taps);

} // namespace cldsp
