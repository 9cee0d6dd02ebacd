/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/bank_workloads.h"
#include "filters/engine_candidates.h"
#include "common/measure.h"

#include <string>
#include <vector>

namespace cldsp::bench {

//! What a run shall do, from the command line.
struct options {
    std::vector<workload> workloads;  //!< those wanted of the single filters
    std::vector<bank_workload> banks; //!< those wanted of all
    std::vector<std::size_t> chunks;  //!< input items a call
    engine_choice choice;
    measuring how;
    std::string json; //!< file; empty: none
    bool comparison = false, ladder = false, retune = false, flowgraphs = false;
    bool fast_convolution = false, default_buffers = false;
    bool judge_auto = false;
    std::size_t random_problems = 0; //!< that auto is judged by
    unsigned seed = 1;               //!< of the random problems
    bool quick = false;
    bool verbose = false;
};

/*!
 * Reads the command line. Prints the help or what is wrong with it, and ends the process
 * then.
 *
 * \param with_flowgraphs whether the program can measure flowgraphs too
 */
options parse_options(int argc, char** argv, bool with_flowgraphs);

} // namespace cldsp::bench
