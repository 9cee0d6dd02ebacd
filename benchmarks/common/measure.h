/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "common/candidate.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cldsp::bench {

//! How long and how often.
struct measuring {
    std::size_t repetitions = 5;
    double seconds = 0.1;    //!< of calls in a repetition, at least
    double longest_call = 1; //!< seconds; a slower candidate is timed once only
};

//! What came out for one candidate.
struct measurement {
    candidate_name name;
    std::size_t items = 0;              //!< of a call
    std::vector<double> seconds;        //!< a call, one entry a repetition
    std::vector<double> kernel_seconds; //!< a call, in computing alone; empty: not known
    double error_db = 0;
    double bound_db = 0;
    std::string note;
    std::optional<chosen_plan> plan;
    std::string failure; //!< why there are no times; empty: there are

    double median_seconds() const;
    double kernel_median_seconds() const;  //!< 0: not known
    double items_per_second() const;         //!< by the median
    double fastest_items_per_second() const; //!< in the shortest repetition
    double spread() const;                 //!< (longest - shortest) / median
    bool correct() const { return failure.empty() && error_db <= bound_db; }
};

double median(std::vector<double> values);

//! Told before each step: how many are done, of how many, and what comes.
using progress = std::function<void(std::size_t, std::size_t, const std::string&)>;

//! Calls something once at least, and tells its error in dB.
using error_check = std::function<double(timed_work&)>;

/*!
 * Times them in turns, repetition by repetition, so that what else the machine does meets
 * all of them alike. Checks each once before.
 */
std::vector<measurement> measure(const std::vector<timed_work*>& works,
                                 const measuring& how,
                                 const error_check& check,
                                 const progress& tell);

/*!
 * The same of filters, one call of each checked against the expected outputs.
 *
 * \param expected for a candidate's outputs; may return nullptr, then nothing is checked
 */
std::vector<measurement>
measure(const std::vector<std::unique_ptr<candidate>>& candidates,
        const measuring& how,
        const std::function<const expected_outputs*(const candidate&)>& expected,
        const progress& tell);

} // namespace cldsp::bench
