// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A list of filters out of published flowgraphs.

#pragma once

#include <cldsp/filter_problem.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cldsp::bench {

//! An xlating FIR filter of a published flowgraph.
struct flowgraph_filter {
    std::string type; //!< as in the name of GNU Radio's block, e.g. "ccf"
    freq_xlating_fir_problem problem;
    std::string source;   //!< repository and flowgraph
    std::string block;    //!< its id in the flowgraph
    std::size_t uses = 1; //!< blocks that compute this problem
};

/*!
 * Reads a list of filters, and their taps from the file that it names.
 *
 * \param path of a list such as filters.json; the README beside it describes the form
 * \throws std::runtime_error naming the file, the filter and what is wrong with it
 */
std::vector<flowgraph_filter> read_filter_list(const std::string& path);

} // namespace cldsp::bench
