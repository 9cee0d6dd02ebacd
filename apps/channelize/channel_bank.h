// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The channels of a recording: their filters, and the bank that computes them.

#pragma once

#include "channelize/channel_list.h"

#include <cldsp/plan_log.h>
#include <cldsp/stream_bank.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

//! The properties of the samples that a bank of channels reads.
struct bank_input {
    sample_type type = sample_type::fc32;
    double rate = 1;              //!< in Hz
    std::optional<double> center; //!< the frequency at 0 Hz of the samples, if known
    //! The value of the largest sample; empty: that of the type.
    std::optional<double> full_scale;
};

//! A channel that the bank can compute.
struct designed_channel {
    std::string name;
    double frequency = 0; //!< in Hz, as the user has given it
    double offset = 0;    //!< in Hz, relative to the input's centre frequency
    double rate = 0;      //!< in Hz, as given by the ratio, which may not be as wanted
    rate_ratio ratio;
    double bandwidth = 0;     //!< in Hz
    double stopband = 0;      //!< in dB
    shared_taps taps = { 1 }; //!< at the input's rate, their sum is 1

    //! The time in seconds by which the outputs are later than the input.
    double delay(double input_rate) const;
    //! The number of outputs, from the first on, for which the filter also reads the
    //! zeros before the stream.
    std::size_t outputs_until_full() const;
};

/*!
 * Designs the filters. The passband of a channel is its bandwidth, and its stopband
 * begins at half of its rate, so that nothing folds into it.
 *
 * \param stopband in dB, of channels that have none
 * \throws std::invalid_argument that names the channel, the parameter, its value and
 * range
 */
std::vector<designed_channel> design_channels(const std::vector<channel_wish>& wishes,
                                              const bank_input& input,
                                              double stopband);

//! A piece of the stream, with room before it for the history that the filters need.
class input_piece
{
public:
    input_piece(std::size_t past, std::size_t room, std::size_t item_size)
        : d_memory((past + room) * item_size), d_begin(past * item_size), d_room(room)
    {
    }
    unsigned char* items() { return d_memory.data() + d_begin; }
    std::size_t room() const { return d_room; }
    std::size_t count = 0; //!< of items

private:
    std::vector<unsigned char> d_memory;
    std::size_t d_begin, d_room;
};

//! The outputs of one piece.
struct output_piece {
    std::vector<std::vector<std::complex<float>>> channels; //!< outputs of each channel
    std::vector<std::size_t> counts; //!< number of valid outputs of each channel
    std::uint64_t items = 0;         //!< number of input items read so far
};

/*!
 * The engine's bank on a stream that comes in pieces. Samples are of full scale 1 for
 * every type of input, and the outputs do not depend on how the stream was cut.
 */
class channel_bank
{
public:
    /*!
     * \param piece_items the largest number of items of a piece
     * \throws std::invalid_argument as the engine's bank does
     */
    channel_bank(const std::vector<designed_channel>& channels,
                 const bank_input& input,
                 const freq_xlating_filter_bank_options& options,
                 const std::shared_ptr<context_registry>& registry,
                 std::size_t piece_items);

    std::unique_ptr<input_piece> make_input() const;
    std::unique_ptr<output_piece> make_outputs() const;
    /*!
     * Computes the outputs of the next piece of the stream. All pieces were made by
     * make_input().
     */
    void process(input_piece& piece, output_piece& outputs);
    const freq_xlating_filter_bank& engine() const { return d_bank.bank(); }

private:
    std::size_t d_item_size;
    std::size_t d_piece_items;
    stream_bank d_bank;
    plan_news d_news;
    std::uint64_t d_items = 0; // items that were read
};

//! Sizes for which files run fast, and memory stays bounded.
struct piece_sizes {
    //! The number of items per call for which the engine chooses its plan. It may be
    //! smaller than a piece, because for longer calls the planner would choose blocks
    //! that do not fit the cache.
    std::size_t planned = 0;
    std::size_t items = 0; //!< the length of a piece
    int pieces = 0;        //!< the largest number of pieces in memory
};
//! Chooses the sizes. \param is_live whether unread samples of the input are lost, as
//! with a radio
piece_sizes sizes_of(const std::vector<designed_channel>& channels,
                     const bank_input& input,
                     bool is_live);

} // namespace cldsp::app
