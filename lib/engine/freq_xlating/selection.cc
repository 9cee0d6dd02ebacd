// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The choice of the executor that computes a filter or a bank.

#include "freq_xlating/selection.h"

#include "fft/fftw_plan.h"
#include "filter/variants.h"
#include "freq_xlating/bank_selection.h"
#include "freq_xlating/call_length.h"
#include "freq_xlating/cost_model.h"
#include "freq_xlating/shares_selection.h"

#include <cldsp/freq_xlating_filter_bank.h>

namespace cldsp {

namespace {

filter_selection select_at_once(const filter_request& request)
{
    auto selected = select_call_length(request, [](const filter_request& its) {
        return shares_channels(its)
                   ? host_at_once(select_bank(its.in_place_of_device("")))
                   : select_bank(its);
    });
    // A remembered plan may be one without the devices that nobody has looked for yet.
    if (!are_devices_known(plan_options::of(request.options), *request.registry))
        selected.plan.provisional = true;
    return selected;
}

} // namespace

filter_selection select_filter(const filter_request& request)
{
    if (!request.options.at_once)
        return select_call_length(request, [](const filter_request& its) {
            return shares_channels(its) ? select_shares(its) : select_bank(its);
        });
    try {
        const fftw_planning_limit none(0, false);
        return select_at_once(request);
    } catch (const fftw_is_busy&) {
        // Nothing but FFTW can compute this bank.
        const fftw_planning_limit none(0);
        return select_at_once(request);
    }
}

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry)
{
    problem.check();
    check_plan_options(plan_options::of(options), problem.input);
    if (plan.provisional)
        return true;
    const auto all = problem.with_all_slots();
    auto its_options = options;
    if (plan.call_items)
        its_options.typical_items = plan.call_items;
    const filter_request request{
        all, its_options, calibrated_rates(registry), &registry
    };
    return shares_channels(request) ? shares_are_outdated(plan, request)
                                    : bank_is_outdated(plan, request);
}

} // namespace cldsp
