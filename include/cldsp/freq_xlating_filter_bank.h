/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/freq_xlating_fir.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A bank of frequency-xlating decimating FIR filters on one input, at arbitrary centre
 * frequencies.
 *
 * Each channel has the output of a freq_xlating_fir with the same problem. Between calls
 * the bank keeps nothing of the stream but the phases of the rotators: each call brings
 * its own history. If a device fails while running, the host continues at the same
 * sample. Only one thread may use a bank at a time.
 */
class freq_xlating_filter_bank
{
public:
    /*!
     * \throws std::invalid_argument for a bad problem, an unknown or unsuitable device,
     *         algorithm, variant or transfer, or a device that was named and cannot be
     *         used
     */
    freq_xlating_filter_bank(const freq_xlating_filter_bank_problem& problem,
                             const freq_xlating_filter_bank_options& options,
                             context_registry& registry);
    ~freq_xlating_filter_bank();
    freq_xlating_filter_bank(freq_xlating_filter_bank&&) noexcept;
    freq_xlating_filter_bank& operator=(freq_xlating_filter_bank&&) noexcept;

    std::size_t channels() const;
    //! The number of items before the first new one that process() needs: the taps of
    //! the longest channel, less 1.
    std::size_t history() const;

    /*!
     * Filters as many items as are available and as many outputs as there is room for.
     *
     * \param in input items, the first history() of which are the items just before the
     *        first new one
     * \param in_items number of items, history included
     * \param out channels() pointers, each to memory for \p room outputs
     * \param room the largest number of outputs of a channel
     */
    process_result process(const void* in,
                           std::size_t in_items,
                           std::complex<float>* const* out,
                           std::size_t room);

    //! Sets the centre frequency of one channel, as freq_xlating_fir::set_center_freq()
    //! does. The outputs of the other channels do not change.
    //! \throws std::invalid_argument if there is no such channel, or if the frequency is
    //! not finite
    void set_center_freq(std::size_t channel, double center_freq);
    //! Sets the centre frequencies of all channels.
    //! \throws std::invalid_argument unless there is one frequency for each channel, and
    //! all are finite
    void set_center_freqs(const std::vector<double>& center_freqs);
    //! Sets one prototype for all channels, or one per channel. The phases do not change.
    //! \throws std::invalid_argument for another number of prototypes, or taps that are
    //! empty or not finite
    void set_taps(const std::vector<std::vector<std::complex<float>>>& taps);
    //! As freq_xlating_fir::take_engine(); \p fresh has as many channels as this bank.
    void take_engine(freq_xlating_filter_bank&& fresh);
    //! Resets the phases to those of a new stream.
    void reset();
    //! Advances the rotators by \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    /*!
     * As freq_xlating_fir::set_stream_memory().
     *
     * \param in the memory of the input
     * \param out the memory of the output of a bank of one channel. With several channels
     * it is not used: each call names the memory of their outputs
     */
    void set_stream_memory(memory_region in, memory_region out = {});

    const freq_xlating_filter_bank_problem& problem() const;
    //! The rotator's phase at the channel's next output.
    phase64 phase(std::size_t channel) const;

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    std::string transfer_name() const;  //!< as freq_xlating_fir::transfer_name()
    //! One line: the choice, its predicted and measured rates, the runner-up.
    std::string plan() const;
    const chosen_plan& chosen() const; //!< the plan as data
    run_statistics statistics() const;
    bool fell_back() const; //!< the device failed and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

//! Whether a new plan of a bank would probably be clearly faster; see is_outdated() of a
//! filter.
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry);

} // namespace cldsp
