// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The channels that the user asks for, on the command line or in a file.

#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

//! A channel as the user asks for it.
struct channel_wish {
    //! The frequency in Hz: absolute if the input's centre frequency is known, else
    //! relative to it.
    double frequency = 0;
    double rate = 0;                 //!< of its samples in Hz
    std::optional<double> bandwidth; //!< in Hz, both sides of the frequency
    std::optional<double> stopband;  //!< in dB
    std::string name;                //!< empty: one is made
};

//! The fraction of the rate that is the bandwidth of a channel without one.
constexpr double usual_bandwidth = 0.8;

/*!
 * A channel of the command line: FREQUENCY,RATE and then bw=HZ, stopband=DB or name=TEXT
 * in any order.
 *
 * \throws std::invalid_argument that quotes the text
 */
channel_wish parse_channel(const std::string& text);

/*!
 * The channels of a file, which is JSON if it begins with [ or {, else CSV.
 *
 * JSON is a list of objects, or an object with such a list as "channels". The columns of
 * CSV are named by its first line; without one they are frequency, rate, bandwidth, name.
 * Objects and columns are called frequency, rate, bandwidth, stopband and name.
 *
 * \throws std::runtime_error if the file cannot be read
 * \throws std::invalid_argument that names the file and the line or the index
 */
std::vector<channel_wish> read_channels(const std::string& file);

/*!
 * Gives names to the channels that have none: ch1, ch2, ... by their places.
 *
 * \throws std::invalid_argument if two channels have one name, or a name cannot be that
 * of a file
 */
void complete_names(std::vector<channel_wish>& channels);

} // namespace cldsp::app
