// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The destinations and formats that the user wants for the channels.

#pragma once

#include "channelize/channel_bank.h"
#include "channelize/channel_output.h"
#include "channelize/sample_source.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

enum class file_format { sigmf, raw, wav };

//! A file that the run reads, and what it is, for a message.
struct kept_file {
    std::string name, what;
};
//! \throws std::runtime_error if \p name is one of the files that have to be kept
void refuse_kept(const std::string& name, const std::vector<kept_file>& kept);

//! The user's choice of destinations and formats for the channels.
struct output_wish {
    std::string folder;  //!< the folder for files, or "-" for the standard output
    std::string command; //!< a shell command, see command_template
    std::string udp;     //!< HOST:PORT
    bool rtp = false;    //!< UDP datagrams begin with an RTP head
    std::string zmq;     //!< a ZeroMQ endpoint
    file_format format = file_format::sigmf;
    output_type type = output_type::cf32;
    bool overwrite = false;
    std::vector<kept_file> kept; //!< files that no output may replace
    demodulation demod = demodulation::none;
    double audio_rate = 48000;       //!< in Hz
    std::optional<double> deviation; //!< in Hz; empty: half of the bandwidth
    double deemphasis = 0;           //!< in seconds
};

//! An output that can be opened.
struct checked_output {
    std::unique_ptr<demodulator> audio; //!< null: the channel's own samples are written
    std::function<std::unique_ptr<byte_sink>(run_files& others)> open;
};

/*!
 * Checks the outputs of all channels, and makes nothing yet. The outputs keep references
 * to \p channels and \p source, which have to outlive them.
 *
 * \return the outputs in the order of the channels
 * \throws std::invalid_argument for a wish that is wrong or not complete
 * \throws std::runtime_error for a file that may not be replaced
 */
std::vector<checked_output> check_outputs(const output_wish& wish,
                                          const std::vector<designed_channel>& channels,
                                          const sample_source& source);

/*!
 * Opens the outputs. Existing files keep their contents until byte_sink::begin().
 *
 * \param files the files of the run, to which the outputs are added
 * \throws std::runtime_error if an output cannot be opened; files made so far are removed
 */
std::vector<channel_output> open_outputs(const output_wish& wish,
                                         std::vector<checked_output> checked,
                                         run_files& files);

} // namespace cldsp::app
