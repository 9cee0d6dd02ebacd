/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "base/thread_pool.h"
#include "filter/filter_channel.h"
#include "filter/host_rates.h"
#include "filter/plan_shape.h"
#include "filter/variants.h"
#include "tuning/tuned_lookup.h"

#include <cldsp/context.h>
#include <cldsp/filter_problem.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace cldsp {

/*!
 * A filter or bank of one decimation that is to be planned: its channels, the options,
 * and the values that predictions depend on. The problem and the options have to outlive
 * it.
 */
class filter_task
{
public:
    /*!
     * \param its_rates of the host
     * \param its_registry null: only the host is a place to compute
     * \param its_pool the host's threads; null: the first candidate that needs them
     *        starts them
     */
    filter_task(const freq_xlating_filter_bank_problem& its_problem,
                const freq_xlating_filter_bank_options& its_options,
                const host_rates& its_rates,
                context_registry* its_registry,
                std::shared_ptr<thread_pool> its_pool = nullptr);

    const std::shared_ptr<thread_pool>& pool() const;
    //! The values that a tuner has found for the candidates. Only with a registry.
    tuned_lookup& tuned() const { return *d_tuned; }
    //! Whether the options name this variant. Making it then fails with an error that
    //! tells the reason, where it would otherwise be left out.
    bool names(const variant_info& variant) const { return named.variant == variant.name; }

    const freq_xlating_filter_bank_problem& problem;
    const freq_xlating_filter_bank_options& options;
    plan_options named; //!< the options that decide which candidates there are
    host_rates rates;
    context_registry* registry;
    std::vector<filter_channel> channels;
    plan_shape shape; //!< with the items of a typical call

private:
    double kept() const;

    mutable std::shared_ptr<thread_pool> d_pool;
    mutable std::optional<tuned_lookup> d_tuned;
};

} // namespace cldsp
