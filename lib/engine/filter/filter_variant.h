// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The interface of a variant: one way to compute filters and banks.

#pragma once

#include "filter/filter_executor.h"
#include "filter/filter_task.h"
#include "filter/host_rates.h"
#include "filter/plan_shape.h"
#include "filter/variants.h"

#include <cldsp/chosen_plan.h>
#include <cldsp/filter_problem.h>
#include <cldsp/shared_taps.h>
#include <cldsp/variant_info.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cldsp {

//! A filter or bank for which a variant's operations are counted.
struct counted_filter {
    const freq_xlating_filter_bank_problem& problem;
    plan_shape shape; //!< without a typical call
    double outputs;   //!< of each channel
    std::size_t ifft_size;
};

/*!
 * A variant: one way to compute filters and banks, and all that the planner, the probe
 * and the documents have to know of it. The variants of one algorithm on the host, or on
 * OpenCL devices, have a base class, which predicts and makes them. What only one of them
 * knows stands in the file that computes it.
 */
class filter_variant : public variant_info
{
public:
    virtual ~filter_variant() = default;
    filter_variant(const filter_variant&) = delete;
    filter_variant& operator=(const filter_variant&) = delete;

    //! The name that the variant had in earlier releases; empty: it had no other one.
    virtual std::string former_name() const { return {}; }
    //! Whether fast convolution by this variant leaves bins out, see
    //! plan_shape::kept.
    virtual bool leaves_bins_out() const { return false; }
    /*!
     * The block sizes with which the variant is a candidate on a device of its kind, the
     * best predicted one first; 0 stands for a candidate without blocks. There are none
     * where the task's options exclude the variant, or nothing would be gained. A variant
     * that the options name is a candidate even if it will not fit.
     */
    std::vector<std::size_t> sizes(const filter_task& task,
                                   const plan_place& place) const;
    //! The seconds of a typical call with blocks of a size.
    virtual double predict(const plan_shape& shape,
                           const plan_place& place,
                           std::size_t ifft_size,
                           const host_rates& rates) const = 0;
    //! \throws std::invalid_argument if the task does not fit; opencl_error
    virtual std::unique_ptr<filter_executor> make(const filter_task& task,
                                                  const plan_place& place,
                                                  std::size_t ifft_size) const = 0;
    //! The values that a tuner has found for a candidate.
    virtual tuning_values tuned(const filter_task&, const plan_place&) const
    {
        return {};
    }
    //! What the variant's measurements depend on besides the shape, the options and the
    //! tuned values; empty: nothing.
    virtual std::string key(const filter_task&) const { return {}; }
    //! Whether the task needs another plan than the variant's \p plan, whatever that one
    //! would take.
    virtual bool is_outdated(const filter_task&, const chosen_plan& /*plan*/) const
    {
        return false;
    }
    /*!
     * The largest error that outputs may have on white noise, the trial input, relative
     * to the largest output: max_output_error, and for fast convolution what follows from
     * the part of the response that \p accuracy allows to be left out, if that is more.
     */
    double error_bound(const shared_taps& taps, double accuracy) const;
    //! The real additions and multiplications.
    //! \throws std::invalid_argument for a block size that does not fit
    virtual double operations(const counted_filter& filter) const = 0;

protected:
    //! Whether the variant may gain anything where the options leave the variant open.
    virtual bool may_gain(const filter_task&, const plan_place&) const { return true; }
    //! See sizes(): the sizes of an allowed variant, none if no size suits.
    virtual std::vector<std::size_t> block_sizes(const filter_task&,
                                                 const plan_place&) const
    {
        return { 0 };
    }

    explicit filter_variant(variant_info info) : variant_info(std::move(info)) {}
};

//! Every variant, in the order in which people see them.
const std::vector<const filter_variant*>& filter_variants();

} // namespace cldsp
