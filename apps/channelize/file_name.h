// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What the name of a recording says, as several SDR programs write it.

#pragma once

#include <optional>
#include <string>

namespace cldsp::app {

//! What the name of a recording says, as some programs write it.
struct named_recording {
    std::string program;                //!< that names files in this way
    std::optional<double> rate, center; //!< in Hz
    std::string datetime;               //!< of the first sample, as in SigMF; or empty
    std::string type;                   //!< of raw samples; empty: unknown
};

/*!
 * Reads the name of a file. It is one of these, with other words before or behind:
 *
 * | program    | name                                           |
 * | ---------- | ---------------------------------------------- |
 * | gqrx       | gqrx_20260131_120000_137500000_2400000_fc.raw  |
 * | SDR#       | SDRSharp_20260131_120000Z_137500000Hz_IQ.wav   |
 * | HDSDR      | HDSDR_20260131_120000Z_7100kHz_RF.wav          |
 * | SDRuno     | SDRuno_20260131_120000Z_7100kHz.wav            |
 * | SDRconnect | SDRconnect_IQ_20260131_120000_137500000HZ.wav  |
 * | SDR++      | baseband_137500000Hz_12-00-00_31-01-2026.wav   |
 * | rtl_433    | g001_433.92M_250k.cu8                          |
 *
 * The times of SDRconnect and SDR++ may be local, and are left out.
 *
 * \return an empty program if it is none of them
 */
named_recording read_file_name(const std::string& file);

} // namespace cldsp::app
