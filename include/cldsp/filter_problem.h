// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The problems that filters and banks compute, and the options of their engines.

#pragma once

#include <cldsp/chosen_plan.h>
#include <cldsp/logger.h>
#include <cldsp/phase.h>
#include <cldsp/rate_ratio.h>
#include <cldsp/sample_type.h>
#include <cldsp/shared_taps.h>
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

//! The phase of the rotator at the start of a stream, and its change at a retune.
enum class phase_reference {
    //! The phase starts at -w (M - 1) / 2, the delay of a symmetric filter of M taps. A
    //! retune changes the phase by -(w_new - w_old) (M - 1) / 2, so that the output of
    //! such a filter continues without a jump.
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
    //! P outputs for D items; above 1 the outputs lie between the items, see
    //! interpolated_taps().
    std::size_t interpolation = 1;

    bool has_real_taps() const; //!< every imaginary part is zero
    //! The phase step of the centre frequency per input sample, fc / fs turns.
    phase64 step() const;
    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
};

/*!
 * \param taps the taps to check
 * \param name the name of the parameter in the message of the exception
 * \throws std::invalid_argument if \p taps is empty, or has NaN or infinite values
 */
void check_taps(const std::vector<std::complex<float>>& taps,
                const std::string& name = "taps");
/*!
 * \param center_freq the frequency to check, in Hz
 * \param name the name of the parameter in the message of the exception
 * \throws std::invalid_argument if \p center_freq is not finite
 */
void check_center_freq(double center_freq, const std::string& name = "center_freq");
//! \throws std::invalid_argument unless \p decimation is 1 or more, and \p sampling_freq
//! finite and above 0
void check_rates(std::size_t decimation, double sampling_freq);

//! The problem of a bank of frequency-xlating decimating FIR filters: one input, and a
//! freq_xlating_fir_problem for each channel.
struct freq_xlating_filter_bank_problem {
    sample_type input = sample_type::fc32;
    std::size_t decimation = 1; //!< the same for every channel, 1 or more
    //! Prototypes at 0 Hz: one for all channels, or one per channel, of any lengths.
    std::vector<shared_taps> taps;
    std::vector<double> center_freqs; //!< in Hz, one per channel, any finite values
    double sampling_freq = 1;         //!< in Hz, finite and above 0
    phase_reference phase = phase_reference::group_delay; //!< for every channel
    //! The number of slots for channels, so that channels can be added while the bank
    //! runs; at least channels(), and at most max_slots. 0: one slot for each channel.
    std::size_t max_channels = 0;
    //! The rate of each slot's outputs: one for each slot, or one for all of them. Empty:
    //! the decimation holds for all. The rate of a slot never changes.
    std::vector<rate_ratio> rates;

    static constexpr std::size_t max_slots = 65536;

    std::size_t channels() const { return center_freqs.size(); }
    //! The number of slots for channels.
    std::size_t slots() const { return max_channels ? max_channels : channels(); }
    //! The rate of one slot's outputs.
    rate_ratio rate(std::size_t index) const;
    //! Whether all slots have one rate, which is that of a decimation.
    bool has_one_decimation() const;
    //! The taps of one channel.
    const shared_taps& taps_of(std::size_t index) const
    {
        return taps.size() == 1 ? taps.front() : taps.at(index);
    }
    //! The problem of one channel.
    freq_xlating_fir_problem channel(std::size_t index) const;
    //! The problem with a channel in every slot. The slots that are free get the longest
    //! taps and the frequency 0, so that a plan for this problem also suits a bank whose
    //! slots are all in use.
    freq_xlating_filter_bank_problem with_all_slots() const;
    //! Replaces the taps and the frequency of one channel. It shares the taps of a
    //! channel that has equal ones.
    void set_channel(std::size_t index, const shared_taps& its_taps, double center_freq);
    //! Replaces the taps of slots that are not in use by the longest taps in use, if the
    //! former are longer, or are complex while the latter are real. Otherwise the bank
    //! would be planned for taps that no channel has any more.
    void free_slots(const std::vector<bool>& in_use);
    //! \throws std::invalid_argument naming the parameter, the value and the range
    void check() const;
};

//! The problem of a bank of one channel.
//! \throws std::invalid_argument as the check() of \p channel does, whose parameters it
//! names
freq_xlating_filter_bank_problem bank_of_one(freq_xlating_fir_problem channel);

//! Options that choose the engine; every text may be "auto".
struct freq_xlating_filter_bank_options {
    std::string device = "auto"; //!< see find_devices()
    //! "direct" or "fast_convolution". The name of a variant implies its algorithm.
    std::string algorithm = "auto";
    /*!
     * The largest error that fast convolution may make in the frequency response, at any
     * frequency, relative to the largest gain; 0 to 0.1. At 0 only rounding makes errors.
     * Otherwise bins whose gain is smaller than this, in the stopband of the filter, may
     * be left out.
     */
    double accuracy = 1e-5;
    std::string variant = "auto";  //!< see freq_xlating_fir_variants()
    std::string transfer = "auto"; //!< "copy", "mapped" or "zero_copy"
    //! The number of threads that a call on the host may use; 0: one for each core.
    unsigned threads = 0;
    //! Input items of a typical call; "auto" measures with that size.
    std::size_t typical_items = 8192;
    //! Input items of a longer call, which the owner of the bank brings where a device
    //! with memory of its own is worth it; 0: calls cannot be longer. The plan tells for
    //! which of both it was made.
    std::size_t longer_items = 0;
    /*!
     * Whether the constructor of a bank takes no time: it opens no device and measures
     * nothing. It takes a remembered plan of the host, or else the host's best predicted
     * one, which is provisional then. The owner of the bank makes another one later, and
     * passes it to take_engine(); see planned_bank.
     */
    bool at_once = false;
    //! Called between the filter calls that a measurement times. If it returns true, the
    //! constructor of the bank throws planning_stopped. Empty: no measurement is stopped.
    std::function<bool()> stopped;
    //! Gives the rate of the engine that runs while this bank is made to replace it.
    //! Empty: there is none.
    std::function<running_rate()> running;
    logger log;
};

//! Every variant of every algorithm. Those of the direct algorithm come in the order in
//! which they were developed, from the simplest kernel to the production kernels.
const std::vector<variant_info>& freq_xlating_fir_variants();

} // namespace cldsp
