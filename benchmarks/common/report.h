/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/measure.h"
#include "filters/engine_candidates.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cldsp::bench {

//! Columns of text for a person; the first row is the heading.
class table
{
public:
    explicit table(std::vector<std::string> heading) { add(std::move(heading)); }
    void add(std::vector<std::string> row) { d_rows.push_back(std::move(row)); }
    //! The table as plain text: numbers aligned to the right, words to the left.
    std::string text() const;
    //! The same as a table in Markdown.
    std::string markdown() const;

private:
    std::vector<std::vector<std::string>> d_rows;
};

//! \p value with \p digits significant digits, never in exponent notation.
std::string number(double value, int digits = 3);
//! The number in a text such as "8340", "64k" (65536) or "1M" (1048576).
//! \throws std::invalid_argument that names \p parameter
std::size_t parse_items(const std::string& text, const std::string& parameter);
//! A number of items as text, such as "1M", "64k" or "8340".
std::string items_text(std::size_t items);

//! Each of the names once, with commas between them.
std::string distinct(const std::vector<std::string>& names);

//! Candidates on one workload with one size of call.
struct comparison {
    workload work;
    std::size_t chunk = 0;
    std::string baseline; //!< the implementation that the ratios refer to
    std::vector<measurement> rows;
    std::vector<candidate_set::skipped> left_out;

    const measurement* baseline_row() const;    //!< null if the baseline was not measured
    double ratio(const measurement& row) const; //!< to the baseline; 0: not known
};

std::string comparison_text(const comparison& c);
//! One line for each comparison: the baseline, the engine's own choice, and the best of
//! the engine's candidates.
std::string summary_text(const std::vector<comparison>& all);
nlohmann::json to_json(const comparison& c);

//! Shows the progress of a run; on a terminal only.
progress terminal_progress(const std::string& what);
//! Erases the line that the progress has printed.
void end_progress();

} // namespace cldsp::bench
