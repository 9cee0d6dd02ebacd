/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "planning/planner.h"
#include "tuning/tuning_choice.h"

#include <cldsp/errors.h>
#include <cldsp/gemm.h>

#include <functional>
#include <string>

namespace cldsp {

/*!
 * Chooses what computes products, in floating point or of 1 bit.
 *
 * \tparam selection has `executor` and `plan`
 * \param candidates every way of computing that the options leave open: all(), make(),
 *        tuned_text() and tuned()
 * \param problem names the problem and the options
 * \param operations of a measured call, at most
 * \param unit of 1e9 operations a second
 * \param host_instead makes the host's selection, for the reason given
 * \throws std::invalid_argument if the device named cannot run the variant named
 */
template <class selection, class candidates_type>
selection choose_gemm(candidates_type& candidates,
                      const std::string& problem,
                      double operations,
                      const std::string& unit,
                      const gemm_options& options,
                      context_registry& registry,
                      const std::function<selection(const std::string&)>& host_instead)
{
    const auto instead = [&](const std::string& why) {
        log_to(options.log, log_level::warning, "the host computes instead: " + why);
        return host_instead(why);
    };
    if (candidates.all().empty()) {
        // A variant that needs OpenCL goes on without it, as every flowgraph does there.
        if (options.device == "auto")
            return instead("variant '" + options.variant + "' needs OpenCL");
        throw_invalid("variant",
                      "'" + options.variant + "'",
                      "one that device '" + options.device + "' can run");
    }

    selection selected;
    plan_request request;
    request.problem = problem + candidates.tuned_text();
    request.items = static_cast<std::size_t>(operations);
    request.unit = unit;
    request.unit_items = 1e9;
    request.log = options.log;
    try {
        const auto choice =
            choose_plan(request, candidates.all(), registry, [&](std::size_t index) {
                selected.executor = candidates.make(index);
            });
        selected.plan = choice.plan;
        selected.plan.tuned = tuned_text(candidates.tuned(choice.index));
        return selected;
    } catch (const opencl_error& e) {
        return instead(e.what());
    } catch (const wrong_outputs& e) {
        return instead("device '" + e.device() + "': " + e.what());
    }
}

} // namespace cldsp
