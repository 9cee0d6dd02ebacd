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
 * Each channel has the output of a freq_xlating_fir with its problem. The rotators'
 * phases are the bank's only state of the stream: each call brings its own history. If a
 * device fails while running, the host continues at the same sample. One thread at a
 * time.
 */
class freq_xlating_filter_bank
{
public:
    /*!
     * \throws std::invalid_argument for a bad problem, or an unknown or unfitting device,
     *         algorithm, variant or transfer, or an explicitly named device that cannot
     *         be used
     */
    freq_xlating_filter_bank(const freq_xlating_filter_bank_problem& problem,
                             const freq_xlating_filter_bank_options& options,
                             context_registry& registry);
    ~freq_xlating_filter_bank();
    freq_xlating_filter_bank(freq_xlating_filter_bank&&) noexcept;
    freq_xlating_filter_bank& operator=(freq_xlating_filter_bank&&) noexcept;

    std::size_t channels() const;
    //! Items before the first new one that process() needs: the longest channel's taps
    //! less 1.
    std::size_t history() const;

    /*!
     * Filters as many items as are available and as many outputs as there is room for.
     *
     * \param in input items, the first history() of which are the items just before the
     *        first new one
     * \param in_items number of items, history included
     * \param out channels() pointers to room for \p room outputs each
     */
    process_result process(const void* in,
                           std::size_t in_items,
                           std::complex<float>* const* out,
                           std::size_t room);

    //! Sets one channel's centre frequency, as freq_xlating_fir::set_center_freq() does.
    //! The other channels' outputs do not change. \throws std::invalid_argument if there
    //! is no such channel or the frequency is not finite
    void set_center_freq(std::size_t channel, double center_freq);
    //! Sets all channels. \throws std::invalid_argument unless there is one per channel
    void set_center_freqs(const std::vector<double>& center_freqs);
    //! Sets one prototype for all channels or one per channel; the phases stay.
    //! \throws std::invalid_argument
    void set_taps(const std::vector<std::vector<std::complex<float>>>& taps);
    //! As freq_xlating_fir's. \p fresh has as many channels.
    void take_engine(freq_xlating_filter_bank&& fresh);
    //! Resets the phases to those of a new stream.
    void reset();
    //! Steps the rotators over \p outputs outputs without computing them.
    void skip(std::uint64_t outputs);

    //! As freq_xlating_fir::set_stream_memory(). \param out of the only channel; several
    //! channels' outputs are found with each call
    void set_stream_memory(memory_region in, memory_region out = {});

    const freq_xlating_filter_bank_problem& problem() const;
    phase64 phase(std::size_t channel) const; //!< of the next output

    std::string device_name() const;    //!< "host", or OpenCL's name of the device
    std::string algorithm_name() const; //!< "direct" or "fast_convolution"
    std::string variant_name() const;   //!< the variant that runs, never "auto"
    std::string transfer_name() const;  //!< as of freq_xlating_fir
    //! One line: the choice, its predicted and measured rates, the runner-up.
    std::string plan() const;
    const chosen_plan& chosen() const; //!< as of freq_xlating_fir
    run_statistics statistics() const;
    bool fell_back() const; //!< the device was lost and the host computes

private:
    struct implementation;
    std::unique_ptr<implementation> d_impl;
};

//! As for a filter's plan.
bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry);

} // namespace cldsp
