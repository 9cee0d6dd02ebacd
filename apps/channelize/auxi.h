// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Reads what SDR programs say of a recording in a chunk of its WAV file.

#pragma once

#include "channelize/datetime.h"

#include <optional>
#include <vector>

namespace cldsp::app {

//! What the chunk "auxi" of a WAV file says, with which SDR programs describe a
//! recording.
struct auxi_content {
    std::optional<double> center; //!< in Hz
    std::optional<parsed_datetime> begin;
    bool is_known = false; //!< whether the chunk has one of the two known forms
};

/*!
 * Reads the chunk in either of its forms: XML in UTF-16 or UTF-8, as SDR Console and its
 * followers write it, or the binary form of SpectraVue, HDSDR, SDR# and SDRuno, which
 * consists of the times of the beginning and the end, 16 bytes each, and 32-bit numbers,
 * of which the first is the centre frequency.
 */
auxi_content read_auxi(const std::vector<unsigned char>& chunk);

} // namespace cldsp::app
