/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "channelize/sample_format.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cldsp::app {

//! A description of the samples of a recording, from its head or its metadata.
struct recording {
    sample_format format{ sample_type::fc32 };
    std::optional<double> rate;         //!< in Hz
    std::optional<double> center;       //!< the frequency at 0 Hz of the samples
    std::string datetime;               //!< of the first sample, as in SigMF; or empty
    std::uint64_t begin = 0;            //!< bytes before the first sample
    std::optional<std::uint64_t> bytes; //!< of the samples; empty: to the end
};

} // namespace cldsp::app
