// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The options of the filters' benchmarks.

#pragma once

#include "common/measure.h"
#include "filters/bank_workloads.h"
#include "filters/engine_candidates.h"

#include <string>
#include <vector>

namespace cldsp::bench {

//! The settings of a run, from the command line.
struct options {
    std::vector<workload> workloads;  //!< the selected single filters
    std::vector<bank_workload> banks; //!< the selected filters and banks
    std::vector<std::size_t> chunks;  //!< input items per call
    engine_choice choice;
    measuring how;
    std::string json; //!< the name of the report's file; empty: no report
    bool comparison = false, ladder = false, retune = false, flowgraphs = false;
    bool fast_convolution = false, default_buffers = false;
    bool judge_auto = false;
    bool while_running = false; //!< auto plans while its stream runs on the host
    std::size_t random_problems = 0; //!< the number of random problems for the comparison
                                     //!< of auto with the forced choices
    unsigned seed = 1;               //!< the seed of the random problems
    std::vector<std::size_t> problems; //!< the random problems to compare; empty: all
    bool quick = false;
    bool verbose = false;
};

/*!
 * Reads the command line. For --help, or if the command line is wrong, prints a message
 * and ends the process.
 *
 * \param with_flowgraphs whether the program can measure flowgraphs too
 */
options parse_options(int argc, char** argv, bool with_flowgraphs);

} // namespace cldsp::bench
