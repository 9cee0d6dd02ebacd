/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include "filter/bank_executor.h"
#include "freq_xlating/cost_model.h"
#include "filter/plan_options.h"
#include "planning/planner.h"
#include "base/thread_pool.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cldsp {

//! A bank that something shall be chosen for: what all candidates are made of and
//! predicted by. It refers to the problem and the options that it is made with.
class bank_task
{
public:
    bank_task(const freq_xlating_filter_bank_problem& problem,
              const freq_xlating_filter_bank_options& options);

    const freq_xlating_filter_bank_problem& problem() const { return d_problem; }
    const freq_xlating_filter_bank_options& options() const { return d_options; }
    const std::vector<fir_setup>& setups() const { return d_setups; } //!< one a channel
    //! Its items are those of a typical call, which is shorter for very large banks.
    const plan_shape& shape() const { return d_shape; }
    bool has_real_taps() const; //!< all channels
    //! The host's threads, started with the first candidate that needs them.
    const std::shared_ptr<thread_pool>& pool() const;

    //! \p executor with a typical call's input and outputs, which all trials share.
    //! \param fast it is fast convolution, whose accuracy is an option
    std::unique_ptr<plan_trial> make_trial(std::unique_ptr<bank_executor> executor,
                                           bool fast) const;
    //! The same with a short call.
    std::unique_ptr<plan_trial> make_check(std::unique_ptr<bank_executor> executor,
                                           bool fast) const;

private:
    double kept() const;

    const freq_xlating_filter_bank_problem& d_problem;
    const freq_xlating_filter_bank_options& d_options;
    std::vector<fir_setup> d_setups;
    plan_shape d_shape;
    mutable std::shared_ptr<thread_pool> d_pool;
    mutable std::shared_ptr<const class typical_bank_call> d_call, d_short_call;
};

} // namespace cldsp
