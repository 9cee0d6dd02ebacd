// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters a whole stream with three threads and bounded memory.

#pragma once

#include "channelize/channel_bank.h"
#include "channelize/channel_output.h"
#include "channelize/sample_source.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

struct pipeline_result {
    std::uint64_t items = 0; //!< number of input items that were filtered
    double seconds = 0;      //!< duration of the run
    //! The failures, one line each; empty if the run ended with the input or by a signal.
    std::vector<std::string> failures;
};

//! A function called after each written piece, with the number of input items done so
//! far.
using progress_report = std::function<void(std::uint64_t items)>;

struct pipeline_limits {
    double speed = 0;                   //!< multiples of real time; 0: no limit
    std::optional<std::uint64_t> items; //!< number of input items to read; empty: all
    int pieces = 3; //!< the largest number of pieces in memory, at least 3
};

/*!
 * Filters all samples of a source with a bank, and writes the channels to their outputs.
 * One thread reads, one computes and one writes. They exchange a fixed number of pieces
 * of the stream, so that memory is bounded.
 *
 * All outputs are completed with finish(), also after a failure or a signal.
 */
pipeline_result run_pipeline(sample_source& source,
                             channel_bank& bank,
                             std::vector<channel_output>& outputs,
                             const pipeline_limits& limits,
                             const progress_report& report);

} // namespace cldsp::app
