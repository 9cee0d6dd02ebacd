/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filters/engine_candidates.h"
#include "common/measure.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace cldsp::bench {

//! Columns of text for a person; the first row is the heading.
class table
{
public:
    explicit table(std::vector<std::string> heading) { add(std::move(heading)); }
    void add(std::vector<std::string> row) { d_rows.push_back(std::move(row)); }
    //! Numbers to the right, words to the left.
    std::string text() const;
    //! The same as a table in Markdown.
    std::string markdown() const;

private:
    std::vector<std::vector<std::string>> d_rows;
};

//! \p value with \p digits significant ones, never as a power of ten.
std::string number(double value, int digits = 3);
//! Of "8340", "64k" (65536) or "1M" (1048576). \throws std::invalid_argument, which calls
//! the text \p parameter
std::size_t parse_items(const std::string& text, const std::string& parameter);
//! As in "1M", "64k" or "8340".
std::string items_text(std::size_t items);

//! Candidates side by side on one workload, at one size of call.
struct comparison {
    workload work;
    std::size_t chunk = 0;
    std::string baseline; //!< the implementation the ratios are to
    std::vector<measurement> rows;
    std::vector<candidate_set::skipped> left_out;

    const measurement* baseline_row() const;    //!< null: not measured
    double ratio(const measurement& row) const; //!< to the baseline; 0: not known
};

std::string comparison_text(const comparison& c);
//! One line a comparison: the baseline, the engine's own choice and the best of it.
std::string summary_text(const std::vector<comparison>& all);
nlohmann::json to_json(const comparison& c);

//! Shows on a terminal, and only there, how far a run has come.
progress terminal_progress(const std::string& what);
//! Wipes the line that progress left.
void end_progress();

} // namespace cldsp::bench
