// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The choice of the executor that computes a filter or a bank.

#include "freq_xlating/selection.h"

#include "filter/variants.h"
#include "freq_xlating/bank_selection.h"
#include "freq_xlating/cost_model.h"
#include "freq_xlating/shares_selection.h"

#include <cldsp/freq_xlating_filter_bank.h>

namespace cldsp {

filter_selection select_filter(const filter_request& request)
{
    return shares_channels(request) ? select_shares(request) : select_bank(request);
}

bool is_outdated(const chosen_plan& plan,
                 const freq_xlating_filter_bank_problem& problem,
                 const freq_xlating_filter_bank_options& options,
                 context_registry& registry)
{
    problem.check();
    check_plan_options(plan_options::of(options), problem.input);
    const auto all = problem.with_all_slots();
    const filter_request request{ all, options, calibrated_rates(registry), &registry };
    return shares_channels(request) ? shares_are_outdated(plan, request)
                                    : bank_is_outdated(plan, request);
}

} // namespace cldsp
