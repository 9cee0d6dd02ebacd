// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The base of the host's direct variants: predictions, and what is made of them.

#pragma once

#include "direct/host_direct.h"
#include "filter/filter_variant.h"

#include <memory>
#include <string>
#include <vector>

namespace cldsp {

//! The predicted seconds of one channel by the direct algorithm: for each output, without
//! its taps; for each tap of an output; and once in a call for each tap, because the
//! first output needs as many items.
struct direct_cost {
    double output, tap, first;

    double seconds(std::size_t outputs, std::size_t taps) const
    {
        const auto n = static_cast<double>(taps);
        return n * first + static_cast<double>(outputs) * (output + n * tap);
    }
};

//! A variant of the direct algorithm on the host.
class host_direct_variant : public filter_variant
{
public:
    virtual std::unique_ptr<host_fir> make_fir(const filter_channel& channel) const = 0;
    virtual direct_cost cost(const plan_shape& shape, const host_rates& rates) const = 0;
    //! As cost(), for an output whose window is read for it alone, as host_resampler
    //! does: the seconds without its taps, and those of a real tap.
    virtual double lone_output(const host_rates& rates) const = 0;
    virtual double lone_tap(const host_rates& rates) const = 0;
    virtual bool uses_real_taps() const = 0; //!< whether they take half the products

    //! Seconds of a typical call.
    double predict(const plan_shape& shape, const host_rates& rates) const;
    //! The predictions by which executors on the host decide, see host_costs.
    host_costs costs(const plan_shape& shape, const host_rates& rates) const;

    double predict(const plan_shape& shape,
                   const plan_place& place,
                   std::size_t ifft_size,
                   const host_rates& rates) const override;
    std::unique_ptr<filter_executor> make(const filter_task& task,
                                          const plan_place& place,
                                          std::size_t ifft_size) const override;
    double operations(const counted_filter& filter) const override;

protected:
    using filter_variant::filter_variant;
};

//! The variant that computes whatever no other one was chosen for.
const host_direct_variant& host_direct_simd();
//! The variant whose outputs depend on no item outside of their windows.
const host_direct_variant& host_direct_volk();

//! The variants of the direct algorithm on the host, the usual one first.
const std::vector<const host_direct_variant*>& host_direct_variants();

//! The number of threads that have something to do if the work has \p parts parts.
double busy_threads(const plan_shape& shape, std::size_t parts);
//! The seconds of a call of \p parts equal parts, by the threads that it is worth.
//! \param by_one the seconds that one thread takes
double shared_call_seconds(const plan_shape& shape, double by_one, std::size_t parts);

//! Operations of the direct algorithm.
//! \param uses_real_taps whether real taps take half of them
double direct_operations(const counted_filter& filter, bool uses_real_taps);

} // namespace cldsp
