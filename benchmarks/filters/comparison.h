// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measured candidates on one workload, beside the one that ratios refer to.

#pragma once

#include "common/measure.h"
#include "filters/engine_candidates.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace cldsp::bench {

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

} // namespace cldsp::bench
