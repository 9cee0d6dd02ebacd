/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

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

//! What computes, and how that came about.
template <class Executor>
struct selection {
    std::unique_ptr<Executor> executor;
    chosen_plan plan;
    bool fell_back = false; //!< the host computes although a device was asked for

    bool on_host() const { return executor->device_name() == "host"; }
};

/*!
 * Lets the planner choose, see choose_plan(). Where the devices fail, the host has to
 * compute instead: the selection has no executor then, and its plan's reason is logged.
 *
 * \param candidates whose trials are trial_of<Executor>
 */
template <class Executor>
selection<Executor> select_planned(const plan_request& request,
                                   const std::vector<plan_candidate>& candidates,
                                   context_registry& registry)
{
    selection<Executor> result;
    try {
        plan_choice choice = choose_plan(request, candidates, registry);
        result.executor = static_cast<trial_of<Executor>&>(*choice.trial).take_executor();
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
