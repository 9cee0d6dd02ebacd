/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/channel_bank.h"
#include "channelize/channel_output.h"
#include "channelize/sample_source.h"

#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

enum class file_format { sigmf, raw, wav };

//! Where and how the channels go out, as the user wants it.
struct output_wish {
    std::string folder;  //!< of files, or "-" for the standard output
    std::string command; //!< with {name} and so on
    std::string udp;     //!< HOST:PORT
    bool rtp = false;    //!< with heads of RTP
    std::string zmq;     //!< an address of ZeroMQ
    file_format format = file_format::sigmf;
    output_type type = output_type::cf32;
    bool overwrite = false;
    demodulation demod = demodulation::none;
    double audio_rate = 48000;       //!< in Hz
    std::optional<double> deviation; //!< in Hz; empty: half of the bandwidth
    double deemphasis = 0;           //!< in seconds
};

/*!
 * Opens the outputs of all channels, in their order. They refer to the channels and to
 * the source.
 *
 * \throws std::invalid_argument for a wish that is wrong or not complete
 * \throws std::runtime_error if one cannot be opened; no new file then stays
 */
std::vector<channel_output> open_outputs(const output_wish& wish,
                                         const std::vector<designed_channel>& channels,
                                         const sample_source& source);

/*!
 * The command of a channel: {name}, {rate}, {frequency}, {bandwidth}, {type} and {index}
 * are replaced, the name so that a shell takes it as one word.
 *
 * \throws std::invalid_argument if there is something else in braces that looks like a
 * name
 */
std::string command_of(const std::string& text,
                       const designed_channel& channel,
                       double output_rate,
                       output_type type,
                       std::size_t index);

} // namespace cldsp::app
