// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The executor that the planner chose, or the reason why the host has to compute.

#pragma once

#include "planning/planner.h"
#include "planning/trial.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/errors.h>
#include <cldsp/logger.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! The executor that was chosen, and how the choice came about.
template <class Executor>
struct selection {
    std::unique_ptr<Executor> executor;
    chosen_plan plan;
    bool fell_back = false; //!< the host computes although a device was asked for

    //! Whether nothing was chosen yet, because the options name a device, which takes
    //! time to open; see plan_request::at_once.
    bool is_open() const { return !executor && plan.provisional; }
    bool on_host() const { return executor->device_name() == "host"; }
};

/*!
 * Lets the planner choose, see choose_plan(). If the devices fail, the host has to
 * compute instead. The selection then has no executor, and the reason in its plan is
 * logged. It has none either if it has to be made at once, and the host has no candidate.
 *
 * \param request the problem, and how long planning may take
 * \param candidates the candidates, whose trials are trial_of<Executor>
 * \param registry the devices' contexts, and the wisdom
 */
template <class Executor>
selection<Executor> select_planned(const plan_request& request,
                                   const std::vector<plan_candidate>& candidates,
                                   context_registry& registry)
{
    selection<Executor> result;
    try {
        plan_choice choice = choose_plan(request, candidates, registry);
        if (choice.trial)
            result.executor =
                static_cast<trial_of<Executor>&>(*choice.trial).take_executor();
        result.plan = std::move(choice.plan);
        return result;
    } catch (const opencl_error& e) {
        result.plan.reason = e.what();
    } catch (const wrong_outputs& e) {
        result.plan.reason = "device '" + e.device() + "': " + e.what();
    }
    log_to(request.log,
           log_level::warning,
           "the host computes instead: " + result.plan.reason);
    return result;
}

} // namespace cldsp
