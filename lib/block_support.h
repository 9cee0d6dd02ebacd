/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#ifndef INCLUDED_CLDSP_BLOCK_SUPPORT_H
#define INCLUDED_CLDSP_BLOCK_SUPPORT_H

#include <gnuradio/block.h>
#include <gnuradio/buffer.h>
#include <gnuradio/cldsp/iq_types.h>
#include <gnuradio/gr_complex.h>
#include <gnuradio/logger.h>
#include <cldsp/context.h>
#include <cldsp/filter_problem.h>
#include <cldsp/logger.h>
#include <cldsp/memory_region.h>
#include <cldsp/sample_type.h>
#include <pmt/pmt.h>
#include <type_traits>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

/*!
 * The contexts that all blocks of this process share, set up from the preferences at
 * first use. \throws std::invalid_argument for an unknown profile in the preferences
 */
::cldsp::context_registry& registry();

/*!
 * The logs of a block. Messages for debugging have one of their own: GNU Radio's default
 * level shows them in the other one.
 */
struct block_logs {
    gr::logger_ptr log;
    gr::logger_ptr debug_log; //!< shown where [LOG] debug_level is debug
};

//! The engine's messages, at their level, in GNU Radio's logs.
::cldsp::logger engine_logger(const block_logs& logs);
//! As engine_logger(), but of the messages for information only the first passes, which
//! is the block's first plan; later ones become messages for debugging.
::cldsp::logger block_logger(const block_logs& logs);

//! Where and how the engine of a block shall compute; see
//! freq_xlating_fir_filter::make().
struct engine_choice {
    std::string device;
    std::string variant;
    std::string transfer;
    std::string algorithm;
    double accuracy;
};

/*!
 * The choice with the preferences in the place of what is "auto".
 *
 * \throws std::invalid_argument if a text is empty
 */
engine_choice with_preferences(const engine_choice& choice);

/*!
 * The options of the engine's bank from a block's arguments and the preferences.
 *
 * \param threads that a call on the host may use; 0: as many as there are cores
 * \param items see typical_items()
 * \throws std::invalid_argument if a text is empty
 */
::cldsp::freq_xlating_filter_bank_options filter_options(const engine_choice& choice,
                                                         unsigned threads,
                                                         std::size_t items,
                                                         const block_logs& logs);

/*!
 * Outputs of a call of work() that a block shall be given where the stream has them: with
 * GNU Radio's default buffers waking the threads of a flowgraph costs more than the
 * filter. As many as 25 ms of input make, so that the larger buffers delay nothing that a
 * person would notice, and of 65536 items at most; 1 where the sampling rate is no real
 * one. Many channels get fewer, so that their buffers take 64 MiB at most where those of
 * GNU Radio's default size do.
 */
int batch_outputs(double sampling_freq, std::size_t decimation, std::size_t channels = 1);

//! A batch for a block whose buffers or calls somebody has limited.
int limited_batch(gr::block& block, int batch, int noutputs);

/*!
 * How many input items a call of work() brings: \p batch outputs' worth, or with GNU
 * Radio's default buffers three quarters of an input buffer, unless half of the output
 * buffer is reached first.
 */
std::size_t typical_items(std::size_t item_size, std::size_t decimation, int batch);

/*!
 * The decimation of a block whose input items have \p item_size bytes.
 *
 * Before a block that decimates, GNU Radio makes a buffer for twice what it reads at a
 * time: \p multiple outputs' input and the history. Here that buffer may have less than
 * 2 GiB: GNU Radio counts items in 32 bits, and bytes in places too.
 *
 * \param parameter what the block calls it
 * \throws std::invalid_argument unless 1 to as many as fit
 */
unsigned checked_decimation(int decimation,
                            std::size_t item_size,
                            int multiple = 1,
                            std::size_t history = 1,
                            const char* parameter = "decimation");

//! A stream buffer's memory, both of its mappings, which follow each other; nothing where
//! the buffer has just one.
::cldsp::memory_region region_of(gr::buffer& buffer);

//! The engine's taps from a block's.
template <class TAP_T>
std::vector<gr_complex> complex_taps(const std::vector<TAP_T>& taps)
{
    return { taps.begin(), taps.end() };
}

//! A block's taps from the engine's.
template <class TAP_T>
std::vector<TAP_T> taps_as(const std::vector<gr_complex>& taps)
{
    if constexpr (std::is_same_v<TAP_T, gr_complex>) {
        return taps;
    } else {
        std::vector<TAP_T> real;
        real.reserve(taps.size());
        for (const auto& tap : taps)
            real.push_back(tap.real());
        return real;
    }
}

//! The frequency that a message for the port "freq" carries, if it carries one.
std::optional<double> message_frequency(const pmt::pmt_t& message);
//! The channel that it names, if it names one.
std::optional<int> message_channel(const pmt::pmt_t& message);

//! The engine's name of an input item, and the letters the blocks' names have for it.
template <class T>
struct item_traits;

template <>
struct item_traits<gr_complex> {
    static constexpr auto type = ::cldsp::sample_type::fc32;
    static constexpr const char* letters = "c";
};
template <>
struct item_traits<float> {
    static constexpr auto type = ::cldsp::sample_type::f32;
    static constexpr const char* letters = "f";
};
template <>
struct item_traits<std::int16_t> {
    static constexpr auto type = ::cldsp::sample_type::s16;
    static constexpr const char* letters = "s";
};
template <>
struct item_traits<cu8> {
    static constexpr auto type = ::cldsp::sample_type::cu8;
    static constexpr const char* letters = "cu8_";
};
template <>
struct item_traits<cs8> {
    static constexpr auto type = ::cldsp::sample_type::cs8;
    static constexpr const char* letters = "cs8_";
};
template <>
struct item_traits<cs16> {
    static constexpr auto type = ::cldsp::sample_type::cs16;
    static constexpr const char* letters = "cs16_";
};

//! The end of a block's name: "ccf", or "cu8_f" where the output's letter says nothing.
template <class IN_T, class TAP_T>
std::string type_suffix()
{
    const std::string in = item_traits<IN_T>::letters;
    return in + (in.size() == 1 ? "c" : "") + item_traits<TAP_T>::letters;
}

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_BLOCK_SUPPORT_H */
