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

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::app {

struct pipeline_result {
    std::uint64_t items = 0; //!< of the input that were computed
    double seconds = 0;      //!< that it took
    //! What ended it too early, one line each; empty: the end of the input or a signal.
    std::vector<std::string> failures;
};

//! Called now and then with the number of items whose outputs are written.
using progress_report = std::function<void(std::uint64_t items)>;

struct pipeline_limits {
    double speed = 0;                   //!< multiples of real time; 0: no limit
    std::optional<std::uint64_t> items; //!< of the input; empty: all
    int pieces = 3; //!< of the stream that are on their way at most, 3 or more
};

/*!
 * Takes all samples of a source through a bank to the outputs of its channels. One thread
 * reads, one computes and one writes, with a few pieces between them, so that memory is
 * bounded.
 *
 * All outputs are finished at the end, whatever the reason.
 */
pipeline_result run_pipeline(sample_source& source,
                             channel_bank& bank,
                             std::vector<channel_output>& outputs,
                             const pipeline_limits& limits,
                             const progress_report& report);

} // namespace cldsp::app
