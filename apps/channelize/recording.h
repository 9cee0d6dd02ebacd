// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// What is known of a recording's samples from its head or its metadata.

#pragma once

#include "channelize/sample_format.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

class sigmf_notes;

//! Bytes within the samples that are none.
struct sample_gap {
    std::uint64_t after = 0; //!< bytes of samples before them
    std::uint64_t bytes = 0;
};

//! A description of the samples of a recording, from its head or its metadata.
struct recording {
    sample_format format{ sample_type::fc32 };
    std::optional<double> rate;   //!< in Hz
    std::optional<double> center; //!< the frequency at 0 Hz of the samples
    std::string datetime;         //!< a time as in SigMF, or empty
    //! The number of the sample, from 0 on, to which the time belongs.
    std::uint64_t datetime_item = 0;
    std::uint64_t begin = 0;            //!< bytes before the first sample
    std::optional<std::uint64_t> bytes; //!< of the samples; empty: to the end
    std::vector<sample_gap> gaps;       //!< in their order
    //! What else the metadata say; null if there are none.
    std::shared_ptr<const sigmf_notes> notes;
    //! What a user should know of how the head was understood, each in one line.
    std::vector<std::string> remarks;
};

} // namespace cldsp::app
