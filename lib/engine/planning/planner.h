/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "planning/output_check.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/context.h>
#include <cldsp/device.h>
#include <cldsp/logger.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! A call that a trial makes.
enum class trial_call {
    typical, //!< as long as the problem's own, to be timed
    brief    //!< a few outputs, to be compared
};

//! A candidate that has been made, and that calls can be tried on.
class plan_trial
{
public:
    virtual ~plan_trial() = default;
    //! Makes the input and the outputs of the calls that follow.
    virtual void prepare(trial_call call) = 0;
    //! Runs one call. \return the seconds it took. \throws opencl_error
    virtual double run() = 0;
    //! Runs one call, before any other, and compares its outputs with the host's. Without
    //! a comparison they are right. \throws opencl_error
    virtual output_error check() { return {}; }
    //! Forgets the calls: nothing of them is left in what was tried. \throws opencl_error
    virtual void finish() {}
};

//! One way of computing a problem. Every name is what really runs, never "auto".
struct plan_candidate {
    device_info device;
    std::string algorithm;     //!< "direct" or "fast_convolution"
    std::string variant;       //!< e.g. "simd", "polyphase"
    std::string transfer;      //!< "copy", "mapped", "zero_copy", or "none" on the host
    std::size_t ifft_size = 0; //!< of a block's inverse transform; 0: no fast convolution
    double predicted = 0;      //!< seconds of a typical call, see cost_model.h
    std::string tuned;         //!< values that a tuner has found, for people; else empty
    /*!
     * Makes what computes. \throws std::invalid_argument where the candidate does not fit
     * the problem; opencl_error
     */
    std::function<std::unique_ptr<plan_trial>()> make;

    //! E.g. "fast_convolution/polyphase on host, block size 512".
    std::string describe() const;
    //! As a plan, of which nothing was predicted or measured.
    chosen_plan as_plan() const;
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
    //! False: the best predicted is taken, and nothing is measured or remembered.
    bool measuring = true;
    //! Asked between calls; true ends the choice. Empty: nothing does.
    std::function<bool()> stopped;
    logger log;
    //! Seconds since any start; empty: the system's steady clock.
    std::function<double()> now;
};

//! Filters with fewer taps are placeholders, as applications make them before they know
//! the real ones; what computes them is hardly worth a measurement.
constexpr std::size_t min_measured_taps = 8;

//! The winner, made and ready to compute.
struct plan_choice {
    std::size_t index = 0; //!< of the candidate
    chosen_plan plan;
    std::unique_ptr<plan_trial> trial; //!< finished
};

/*!
 * Chooses among the candidates: the remembered answer if there is one, else the fastest
 * in a measurement of those whose predictions are close. Short first looks, most
 * promising candidate first, then interleaved rounds among ever fewer. A device has to
 * win by 5 % against the host, which needs no driver. A single candidate is not measured.
 * A candidate that throws std::invalid_argument or opencl_error is left out.
 *
 * A device whose outputs are not the host's is left out with a warning. The outputs of a
 * candidate are compared before it is measured or chosen, once a process for each problem
 * in the sense of the key of its answer (the numbers and types, not the taps' values):
 * where sixty blocks are alike, the first one's comparison holds for all.
 *
 * \throws opencl_error or wrong_outputs if no candidate is left and a device failed;
 *         std::invalid_argument if no candidate fits the problem; planning_stopped
 */
plan_choice choose_plan(const plan_request& request,
                        const std::vector<plan_candidate>& candidates,
                        context_registry& registry);

//! The candidate that a plan describes, with blocks of any size; null if none does.
const plan_candidate* find_candidate(const std::vector<plan_candidate>& candidates,
                                     const chosen_plan& plan);

/*!
 * Whether a choice among the candidates may well give something better than a plan that
 * was made for another problem: the best is predicted to be clearly faster than the plan,
 * or the plan was never measured and this choice would be.
 *
 * \param predicted seconds of a typical call of this problem by the plan
 */
bool is_outdated(const plan_request& request,
                 const std::vector<plan_candidate>& candidates,
                 const chosen_plan& plan,
                 double predicted);

//! All that a measurement's answer depends on: the problem, the devices with their
//! drivers, the host, the kernels' source.
std::string plan_key(const plan_request& request,
                     const std::vector<plan_candidate>& candidates,
                     const context_registry& registry);

} // namespace cldsp
