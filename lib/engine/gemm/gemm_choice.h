/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "planning/selection.h"

#include <cldsp/errors.h>
#include <cldsp/gemm.h>

#include <string>
#include <vector>

namespace cldsp {

/*!
 * Chooses what computes products, in floating point or of 1 bit. Where it has no
 * executor, the host has to compute instead, for the plan's reason, which is logged.
 *
 * \param candidates of which all() the options leave open; their trials are
 *        trial_of<Executor>
 * \param problem names the problem, the options and what was tuned
 * \param operations of a measured call, at most
 * \param unit of 1e9 operations a second
 * \throws std::invalid_argument if the device named cannot run the variant named
 */
template <class Executor>
selection<Executor> choose_gemm(const std::vector<plan_candidate>& candidates,
                                const std::string& problem,
                                double operations,
                                const std::string& unit,
                                const gemm_options& options,
                                context_registry& registry)
{
    if (candidates.empty()) {
        // A variant that needs OpenCL goes on without it, as every flowgraph does there.
        if (options.device != "auto")
            throw_invalid("variant",
                          "'" + options.variant + "'",
                          "one that device '" + options.device + "' can run");
        selection<Executor> none;
        none.plan.reason = "variant '" + options.variant + "' needs OpenCL";
        log_to(options.log,
               log_level::warning,
               "the host computes instead: " + none.plan.reason);
        return none;
    }
    plan_request request;
    request.problem = problem;
    request.items = static_cast<std::size_t>(operations);
    request.unit = unit;
    request.unit_items = 1e9;
    request.log = options.log;
    return select_planned<Executor>(request, candidates, registry);
}

} // namespace cldsp
