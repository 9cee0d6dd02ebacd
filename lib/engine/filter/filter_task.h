// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A filter or bank to be planned: its channels, and all that predictions depend on.

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
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

/*!
 * A filter or bank that is to be planned, and with what. The problem and the options have
 * to outlive it.
 */
struct filter_request {
    const freq_xlating_filter_bank_problem& problem;
    const freq_xlating_filter_bank_options& options;
    host_rates rates;
    //! The devices, and what is remembered. Null: the host computes in place of a device
    //! that failed, by a plan that follows from the predictions alone, so that a stream
    //! does not wait for a measurement.
    context_registry* registry;
    std::string why{}; //!< the failure in a few words, for that plan
    //! The host's threads. Executors that take turns can share them. Null: the first
    //! candidate that needs them starts them.
    std::shared_ptr<thread_pool> pool{};
    double max_seconds = 1; //!< the longest time for measurements, if less than usual

    //! The request for the host in place of a device that failed.
    filter_request in_place_of_device(std::string its_why) const
    {
        auto other = *this;
        other.registry = nullptr;
        other.why = std::move(its_why);
        return other;
    }
};

/*!
 * A filter or bank of one decimation that is planned: its channels, the options, and the
 * values that predictions depend on.
 */
class filter_task
{
public:
    explicit filter_task(const filter_request& request);

    const std::shared_ptr<thread_pool>& pool() const;
    //! The values that a tuner has found for the candidates. Only with a registry.
    tuned_lookup& tuned() const { return *d_tuned; }
    //! What \p find finds of the channels for a variant, which looks only once.
    std::size_t found_by(const variant_info& variant,
                         const std::function<std::size_t()>& find) const;
    //! Whether the options name this variant. Making it then fails with an error that
    //! tells the reason, where it would otherwise be left out.
    bool names(const variant_info& variant) const
    {
        return named.variant == variant.name;
    }

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
    mutable std::map<const variant_info*, std::size_t> d_found;
};

} // namespace cldsp
