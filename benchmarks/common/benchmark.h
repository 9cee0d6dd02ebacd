/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/options.h"
#include "common/report.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! Cost of retuning 1000 times a second.
struct retune_result {
    std::string name;
    double items_per_second = 0;         //!< without retuning
    double retuned_items_per_second = 0; //!< with it
    double lost = 0;                   //!< part of the throughput, the median
    double growth_kib = 0;             //!< of the process's memory
    std::size_t growth_retunes = 0;    //!< that the growth is of

    //! From measurements taken in turns, each repetition against its neighbour.
    retune_result(const std::string& name,
                  const measurement& plain,
                  const measurement& retuned,
                  double growth_kib,
                  std::size_t growth_retunes);
};

//! What a run has, and what it has found so far.
struct benchmark_run {
    options opts;
    context_registry registry;
    nlohmann::json report;
    std::vector<comparison> comparisons; //!< for the summary
    bool all_correct = true;

    explicit benchmark_run(options o);
    //! Prints a comparison and adds it to a part of the report.
    void finish(const comparison& c, const std::string& part);
    void finish(const std::vector<retune_result>& results, const std::string& what);
};

//! What a program adds to the engine's own candidates.
struct extension {
    //! The implementation that ratios are to.
    std::string baseline = "volk";
    //! Versions of what it adds.
    nlohmann::json versions = nlohmann::json::object();
    bool has_flowgraphs = false;
    //! Adds other implementations' candidates; may be empty.
    std::function<void(const workload&, const stream&, candidate_set&)> add_peers;
    //! Measures flowgraphs; may be empty.
    std::function<void(benchmark_run&)> flowgraphs;
    //! Measures blocks with default buffers beside the engine's loop; may be empty.
    std::function<void(benchmark_run&)> default_buffers;
    //! Measures retuning in a flowgraph; may be empty.
    std::function<void(benchmark_run&)> retune_flowgraph;
};

//! The registry's options of a run.
context_options make_context_options(bool verbose);

//! A whole program. \returns its exit status: 0, 1 for a wrong result, 2 for a refusal
int run_benchmark(int argc, char** argv, const extension& more);

} // namespace cldsp::bench
