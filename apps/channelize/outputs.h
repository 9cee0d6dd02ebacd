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

//! The user's choice of destinations and formats for the channels.
struct output_wish {
    std::string folder;  //!< the folder for files, or "-" for the standard output
    std::string command; //!< a shell command with placeholders, see command_of()
    std::string udp;     //!< HOST:PORT
    bool rtp = false;    //!< UDP datagrams begin with an RTP head
    std::string zmq;     //!< a ZeroMQ endpoint
    file_format format = file_format::sigmf;
    output_type type = output_type::cf32;
    bool overwrite = false;
    demodulation demod = demodulation::none;
    double audio_rate = 48000;       //!< in Hz
    std::optional<double> deviation; //!< in Hz; empty: half of the bandwidth
    double deemphasis = 0;           //!< in seconds
};

/*!
 * Opens the outputs of all channels, in the order of the channels. The outputs keep
 * references to \p channels and \p source, which have to outlive them.
 *
 * \throws std::invalid_argument for a wish that is wrong or not complete
 * \throws std::runtime_error if an output cannot be opened; files made so far are removed
 */
std::vector<channel_output> open_outputs(const output_wish& wish,
                                         const std::vector<designed_channel>& channels,
                                         const sample_source& source);

/*!
 * The command of a channel: {name}, {rate}, {frequency}, {bandwidth}, {type} and {index}
 * are replaced. The name is quoted, so that a shell takes it as one word.
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
