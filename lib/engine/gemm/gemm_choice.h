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
 * Chooses the executor for products, both floating-point and 1-bit. If the result has no
 * executor, the host has to compute instead; the reason is in the plan and has been
 * logged.
 *
 * \param candidates those of all candidates that the options leave open; their trials are
 *        trial_of<Executor>
 * \param problem names the problem, the options and the tuned values
 * \param operations the most operations in a measured call
 * \param unit name of 1e9 operations per second
 * \param options the options that the user gave
 * \param registry the contexts of the devices
 * \throws std::invalid_argument if the device in the options cannot run the variant in
 *         the options
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
        // There is no device at all. The host then computes instead, as in every
        // flowgraph without OpenCL.
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
