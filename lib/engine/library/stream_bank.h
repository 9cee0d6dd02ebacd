/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/freq_xlating_filter_bank.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cldsp {

/*!
 * A bank that keeps the past of its stream, so that its calls take new items only, and
 * all of them. Errors and the rules of threads are those of freq_xlating_filter_bank.
 */
class stream_bank
{
public:
    //! The largest number of taps, and of items of a call.
    static constexpr std::size_t max_possible_taps = std::size_t(1) << 24;
    static constexpr std::uint64_t max_items = std::uint64_t(1) << 40;

    //! \param max_taps the largest number of taps that a channel may get; 0: that of the
    //! longest channel
    stream_bank(const freq_xlating_filter_bank_problem& problem,
                std::size_t max_taps,
                const freq_xlating_filter_bank_options& options,
                context_registry& registry);

    const freq_xlating_filter_bank& bank() const { return d_bank; }

    //! The largest number of outputs of a channel in a call of so many items.
    std::size_t max_outputs(std::size_t items) const;
    /*!
     * Filters the next items. After an exception they are not consumed.
     *
     * \param in,items the items
     * \param out a pointer for each slot; null: no outputs. Outputs of idle channels are
     *        zeros
     * \param room the number of outputs that each has memory for
     * \param outputs becomes the number of outputs of each slot
     * \throws std::invalid_argument if there is less room than max_outputs()
     */
    void process(const void* in,
                 std::size_t items,
                 std::complex<float>* const* out,
                 std::size_t room,
                 std::size_t* outputs);
    //! Begins a new stream.
    void reset();

    void set_center_freq(std::size_t channel, double center_freq);
    void set_taps(const std::vector<shared_taps>& taps);
    void set_active(std::size_t channel, bool active);
    std::size_t add_channel(const shared_taps& taps,
                            double center_freq,
                            const std::optional<rate_ratio>& rate);
    void remove_channel(std::size_t channel);

private:
    void check_taps(const shared_taps& taps, const std::string& name) const;
    void process_parts(const void* in,
                       std::size_t items,
                       std::complex<float>* const* out,
                       std::size_t room,
                       std::size_t* outputs);
    const unsigned char* append(const unsigned char* items, std::size_t count);
    std::size_t filter(const void* in, std::size_t items, std::size_t room);
    void go_back(std::uint64_t position);

    const sample_type d_type;
    const std::size_t d_item_size;
    const std::size_t d_max_taps;
    freq_xlating_filter_bank d_bank;
    std::size_t d_kept;                // items that the longest taps may read again
    std::size_t d_longest_period;      // the largest decimation
    std::vector<unsigned char> d_past; // from d_begin on: d_kept items, those that wait
    std::size_t d_begin = 0;           // in bytes
    std::size_t d_waiting = 0;         // items that complete no output yet
    std::uint64_t d_position = 0;      // items that the bank has consumed
    std::vector<std::complex<float>*> d_out; // where the outputs of a part go
    std::vector<std::size_t> d_outputs;      // of a part of a call
    std::vector<phase64> d_phases;           // at the first output of a part
};

} // namespace cldsp
