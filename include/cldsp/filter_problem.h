/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/logger.h>
#include <cldsp/phase.h>
#include <cldsp/sample_type.h>
#include <cldsp/variant_info.h>

#include <complex>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace cldsp {

/*
 * The problems that filters and banks compute, and the options that choose the engine.
 */

//! The initial phase of the rotator, and its change by a retune.
enum class phase_reference {
    //! The phase starts at -w (M - 1) / 2, the delay of a symmetric filter of M taps. A
    //! retune moves it by -(w_new - w_old) (M - 1) / 2, so that the output of such a
    //! filter goes on without a jump.
    group_delay,
    //! The phase starts at 0, and a retune does not change it: the output is the mixed
    //! input, filtered.
    input
};

/*!
 * The problem of a frequency-xlating decimating FIR filter.
 *
 * y[n] = exp(j p[n]) * sum_k h[k] exp(j w k) x[n D - k],  w = 2 pi fc / fs,
 * p[n] = -w D n - w (M - 1) / 2
 *
 * for M taps, with x[m] = 0 for m < 0. This is the signal of GNU Radio's
 * gr::filter::freq_xlating_fir_filter, constant phase included, without its drift. With
 * phase_reference::input it is the signal of freq_xlating_fft_filter_ccc, p[n] = -w D n.
 */
struct freq_xlating_fir_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1;            //!< D, 1 or more
    std::vector<std::complex<float>> taps; //!< h, the prototype at 0 Hz, M >= 1, finite
    double center_freq = 0;                //!< fc in Hz, any finite value
    double sampling_freq = 1;              //!< fs in Hz, finite and above 0
    phase_reference phase = phase_reference::group_delay;

    bool has_real_taps() const; //!< every imaginary part is zero
    //! Turns per input sample at the centre frequency.
    phase64 step() const;
    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
};

//! \throws std::invalid_argument if \p taps is empty or has NaN or infinite values; it
//! calls them \p name
void check_taps(const std::vector<std::complex<float>>& taps,
                const std::string& name = "taps");
//! \throws std::invalid_argument if \p center_freq is not finite
void check_center_freq(double center_freq, const std::string& name = "center_freq");
//! \throws std::invalid_argument unless \p decimation is 1 or more, and \p sampling_freq
//! finite and above 0
void check_rates(std::size_t decimation, double sampling_freq);

//! Options that choose the engine; every text may be "auto".
struct freq_xlating_fir_options {
    std::string device = "auto"; //!< see find_devices()
    //! "direct" or "fast_convolution"; a variant implies its own.
    std::string algorithm = "auto";
    /*!
     * Fast convolution may change the frequency response by this much at any frequency,
     * relative to the largest gain. At 0 (exact) only rounding changes it; otherwise bins
     * with a smaller gain, in the filter's stopband, may be left out. 0 to 0.1.
     */
    double accuracy = 1e-5;
    std::string variant = "auto";  //!< see freq_xlating_fir_variants()
    std::string transfer = "auto"; //!< "copy", "mapped" or "zero_copy"
    //! Input items of a typical call; "auto" measures with that size.
    std::size_t typical_items = 8192;
    //! Called between the calls of a measurement; true ends the filter's construction
    //! with planning_stopped. Empty: the measurement runs to its end.
    std::function<bool()> stopped;
    logger log;
};

//! The problem of a bank of frequency-xlating decimating FIR filters: one input, and a
//! freq_xlating_fir_problem for each channel.
struct freq_xlating_filter_bank_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1; //!< of every channel, 1 or more
    //! Prototypes at 0 Hz: one for all channels, or one per channel, of any lengths.
    std::vector<std::vector<std::complex<float>>> taps;
    std::vector<double> center_freqs; //!< in Hz, one per channel, any finite values
    double sampling_freq = 1;         //!< in Hz, finite and above 0
    phase_reference phase = phase_reference::group_delay; //!< of every channel

    std::size_t channels() const { return center_freqs.size(); }
    //! The problem of one channel.
    freq_xlating_fir_problem channel(std::size_t index) const;
    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
};

//! Options that choose the engine; every text may be "auto".
struct freq_xlating_filter_bank_options {
    std::string device = "auto";    //!< see find_devices()
    std::string algorithm = "auto"; //!< "direct" or "fast_convolution"
    double accuracy = 1e-5;         //!< see freq_xlating_fir_options
    std::string variant = "auto";   //!< see freq_xlating_fir_variants()
    std::string transfer = "auto";  //!< see freq_xlating_fir_options
    //! Threads that a call on the host may use; 0: as many as there are cores.
    unsigned threads = 0;
    //! Input items of a typical call; "auto" measures with that size.
    std::size_t typical_items = 8192;
    std::function<bool()> stopped; //!< see freq_xlating_fir_options
    logger log;
};

//! Every variant of every algorithm, the direct one's in the ladder's order.
const std::vector<variant_info>& freq_xlating_fir_variants();

} // namespace cldsp
