// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Measures candidates in turns, and what is known of each afterwards.

#pragma once

#include "common/text.h"
#include "common/timed_work.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! The duration and the number of the measurements.
struct measuring {
    std::size_t repetitions = 5;
    double seconds = 0.1;    //!< the least time of the calls of a repetition
    double longest_call = 1; //!< seconds; a slower candidate is timed once only
};

//! The results of one candidate.
struct measurement {
    candidate_name name;
    std::size_t items = 0;              //!< items of a call
    std::vector<double> seconds;        //!< seconds per call, one entry per repetition
    std::vector<double> kernel_seconds; //!< seconds per call of computing alone; empty:
                                        //!< not known
    std::vector<double> cores; //!< processor seconds of this program per second, one
                               //!< entry per repetition: the cores that are in use
    double error_db = 0;
    double bound_db = 0;
    std::string note;
    std::optional<chosen_plan> plan;
    std::string failure; //!< the reason why there are no times; empty: there are times

    double median_seconds() const;
    double kernel_median_seconds() const;    //!< 0: not known
    double items_per_second() const;         //!< by the median of the times
    double fastest_items_per_second() const; //!< in the fastest repetition
    double cores_in_use() const;             //!< by the median; 0: not known
    double spread() const;                   //!< (longest - shortest) / median
    bool correct() const { return failure.empty() && error_db <= bound_db; }
};

double median(std::vector<double> values);

//! Calls the work at least once, and returns its error in dB.
using error_check = std::function<double(timed_work&)>;

/*!
 * Times the works in turns, repetition by repetition, so that other load on the machine
 * disturbs all of them alike. Each work is checked once before.
 */
std::vector<measurement> measure(const std::vector<timed_work*>& works,
                                 const measuring& how,
                                 const error_check& check,
                                 const progress& tell);

} // namespace cldsp::bench
