// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of the planner: candidates, trials of them, and the choice.

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

//! The calls that a trial can make.
enum class trial_call {
    typical, //!< as long as the problem's own calls, for timing
    brief    //!< a few outputs, for a comparison
};

//! A candidate that has been made, so that calls of it can be tried.
class plan_trial
{
public:
    virtual ~plan_trial() = default;
    //! Makes the input and the outputs for the calls that follow.
    virtual void prepare(trial_call call) = 0;
    //! Runs one call.
    //! \return the seconds it took
    //! \throws opencl_error
    virtual double run() = 0;
    //! Runs one call, before any other call, and compares its outputs with the host's.
    //! The default makes no comparison and takes the outputs for right.
    //! \throws opencl_error
    virtual output_error check() { return {}; }
    //! Removes all traces of the calls from the executor that was tried.
    //! \throws opencl_error
    virtual void finish() {}
};

//! One way of computing a problem. Every name is the resolved one, never "auto".
struct plan_candidate {
    device_info device;
    std::string algorithm; //!< "direct" or "fast_convolution"
    std::string variant;   //!< e.g. "simd", "polyphase"
    std::string transfer;  //!< "copy", "mapped", "zero_copy", or "none" on the host
    //! "tf32" or "half", the arithmetic of a product that is not exact; else empty
    std::string precision;
    std::size_t ifft_size = 0; //!< size of a block's inverse transform; 0: no fast
                               //!< convolution
    double predicted = 0;      //!< seconds of a typical call, see cost_model.h
    std::string tuned;         //!< values that a tuner has found, as text for people;
                               //!< else empty
    std::string exact_because; //!< see chosen_plan::exact_because
    /*!
     * Makes the trial.
     * \throws std::invalid_argument if the candidate does not fit the problem;
     *         opencl_error
     */
    std::function<std::unique_ptr<plan_trial>()> make;

    //! E.g. "fast_convolution/polyphase on host, block size 512".
    std::string describe() const;
    //! The candidate as a plan, without a prediction or a measurement.
    chosen_plan as_plan() const;
};

//! The problem to be planned, and how long planning may take.
struct plan_request {
    //! Names the problem, the options and everything else that an answer depends on. The
    //! planner adds the devices of the candidates, their drivers, the host and the source
    //! of the kernels.
    std::string problem;
    std::size_t items; //!< input items of a typical call
    //! The unit in which rates are reported, and the items per second that make one unit.
    std::string unit = "MS/s";
    double unit_items = 1e6;
    //! The longest time for all measurements together; a call that has begun is not
    //! interrupted.
    double seconds = 0.7;
    //! False: the best predicted candidate is taken, and nothing is measured or
    //! remembered.
    bool measuring = true;
    //! Whether nothing may take time: a remembered plan of the host is taken, or else the
    //! best predicted candidate on the host, as a provisional plan.
    bool at_once = false;
    //! Whether the problem is probably a placeholder, see min_measured_taps. A choice for
    //! a placeholder is outdated for any other problem.
    bool placeholder = false;
    //! Gives the rate of the engine that runs meanwhile, if the plan is for its problem. May
    //! be empty.
    std::function<running_rate()> running;
    //! Asked between calls; if it returns true, the planning stops. May be empty.
    std::function<bool()> stopped;
    logger log;
    //! A clock in seconds, from any start; empty: the system's steady clock.
    std::function<double()> now;
};

//! The fewest taps, all channels together, of a problem that is no placeholder.
//! Applications make placeholders before they know the real taps. A long measurement for
//! one is rarely worth its time.
constexpr std::size_t min_measured_taps = 8;

//! The winner, made and ready to compute.
struct plan_choice {
    std::size_t index = 0; //!< index of the winning candidate
    chosen_plan plan;
    std::unique_ptr<plan_trial> trial; //!< the trial, after finish(); null if it has to
                                       //!< be made at once, and the host has none
};

/*!
 * Chooses one of the candidates. If an answer for this problem is remembered, that answer
 * is taken. Otherwise the candidates whose predictions are close to the best are
 * measured: first a short look at each, the most promising first, then rounds in which
 * they take turns and the slow ones drop out. A device has to beat the host by 5 %,
 * because the host needs no driver. A single candidate is not measured. A candidate that
 * throws std::invalid_argument or opencl_error is left out.
 *
 * A device whose outputs differ from the host's is left out with a warning. The outputs
 * of a candidate are compared before it is measured or chosen. A process does this once
 * for each problem, and problems with the same key are the same problem: the key has the
 * numbers and types, but not the values of the taps. So sixty equal blocks need one
 * comparison.
 *
 * \throws opencl_error or wrong_outputs if no candidate is left and a device failed;
 *         std::invalid_argument if no candidate fits the problem; planning_stopped
 */
plan_choice choose_plan(const plan_request& request,
                        const std::vector<plan_candidate>& candidates,
                        context_registry& registry);

//! The candidate that a plan describes, whatever its block size; null if there is none.
const plan_candidate* find_candidate(const std::vector<plan_candidate>& candidates,
                                     const chosen_plan& plan);

/*!
 * Whether planning anew may well give something better than a plan that was made for
 * another problem. This is so if the best candidate is predicted to be clearly faster
 * than the plan, or if the plan was never measured and a new one would be.
 *
 * \param request the present problem
 * \param candidates the candidates for the present problem
 * \param plan the plan that was made for another problem
 * \param predicted the seconds that the plan is predicted to take for a typical call of
 *        the present problem
 */
bool is_outdated(const plan_request& request,
                 const std::vector<plan_candidate>& candidates,
                 const chosen_plan& plan,
                 double predicted);

//! The key of a remembered answer. It names everything that a measurement depends on: the
//! problem, the devices with their drivers, the host, and the source of the kernels.
std::string plan_key(const plan_request& request,
                     const std::vector<plan_candidate>& candidates,
                     const context_registry& registry);

} // namespace cldsp
