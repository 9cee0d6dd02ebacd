/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A candidate made for a measurement, with the input and outputs of a typical call.
class plan_trial
{
public:
    virtual ~plan_trial() = default;
    //! Runs one typical call. \return the seconds it took. \throws opencl_error
    virtual double run() = 0;
};

//! One way of computing a problem. Every name is what really runs, never "auto".
struct plan_candidate {
    device_info device;
    std::string algorithm; //!< "direct" or "fast_convolution"
    std::string variant;   //!< e.g. "simd", "rows"
    std::string transfer;  //!< "copy", "mapped", "zero_copy", or "none" on the host
    std::size_t rows;      //!< of a block of fast convolution; 0 for direct
    double predicted;      //!< seconds of a typical call, see cost_model.h
    /*!
     * Makes what is measured. \throws std::invalid_argument where the candidate does not
     * fit the problem; opencl_error
     */
    std::function<std::unique_ptr<plan_trial>()> make_trial;

    //! E.g. "fast_convolution/rows on host, block 512 rows".
    std::string describe() const;
};

//! What is to be planned, and how long that may take.
struct plan_request {
    //! Names the problem, the options and whatever else an answer depends on. The planner
    //! adds the candidates' devices, their drivers, the host and the kernels' source.
    std::string problem;
    std::size_t items; //!< input items of a typical call
    //! What rates are told in, and how many items a second that is.
    std::string unit = "MS/s";
    double unit_items = 1e6;
    //! Bound of all measurements together; a call that has begun is not interrupted.
    double seconds = 0.7;
    logger log;
    //! Seconds since any start; empty: the system's steady clock.
    std::function<double()> now;
};

//! What was chosen.
struct plan_choice {
    std::size_t index = 0; //!< of the candidate
    double predicted = 0;  //!< input items a second
    double measured = 0;   //!< input items a second; 0: there was nothing to compare with
    bool remembered = false;
    //! One line: the candidate, its rates as predicted and measured, the runner-up.
    std::string text;
};

/*!
 * Chooses among the candidates: the remembered answer if there is one, else the fastest
 * in a measurement of those whose predictions are close. Short first looks, most
 * promising candidate first, then interleaved rounds among ever fewer. A device has to
 * win by 5 % against the host, which needs no driver. A single candidate is not measured.
 *
 * \param adopt makes what will run of the candidate with an index; where it throws
 *        std::invalid_argument or opencl_error, the choice goes on without the candidate
 * \throws std::invalid_argument if no candidate is left and one did not fit the problem;
 *         opencl_error if all that failed were devices
 */
plan_choice choose_plan(const plan_request& request,
                        const std::vector<plan_candidate>& candidates,
                        context_registry& registry,
                        const std::function<void(std::size_t)>& adopt);

} // namespace cldsp
