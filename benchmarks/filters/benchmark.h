// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// One run of the filters' benchmark: its options, its results, and the report.

#pragma once

#include "filters/comparison.h"
#include "filters/options.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! The cost of retuning 1000 times per second.
struct retune_result {
    std::string name;
    double items_per_second = 0;         //!< the rate without retuning
    double retuned_items_per_second = 0; //!< the rate with retuning
    double lost = 0;                //!< the fraction of the throughput that was lost,
                                    //!< the median
    double growth_kib = 0;          //!< the growth of the memory of the process
    std::size_t growth_retunes = 0; //!< the number of retunes during that growth

    //! Compares measurements that were taken in turns, each repetition with its
    //! neighbour.
    retune_result(const std::string& name,
                  const measurement& plain,
                  const measurement& retuned,
                  double growth_kib,
                  std::size_t growth_retunes);
};

//! The options of a run, and the results so far.
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

//! Candidates and measurements that a program adds to the engine's own candidates.
struct extension {
    //! The implementation that the ratios refer to, for a type of input.
    std::function<std::string(sample_type)> baseline = [](sample_type) { return "volk"; };
    //! Versions of the libraries that the program adds.
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

//! The options for the registry of a run.
context_options make_context_options(bool verbose);

//! Runs a whole benchmark program.
//! \returns the exit status: 0, 1 for a wrong result, 2 for refused arguments
int run_benchmark(int argc, char** argv, const extension& more);

} // namespace cldsp::bench
