// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The ways to compute channels of some of a bank's rates, with their times and memory.

#pragma once

#include "fast_convolution/host_multirate.h"
#include "filter/filter_task.h"
#include "filter/plan_shape.h"
#include "filter/variants.h"
#include "freq_xlating/cost_model.h"
#include "freq_xlating/rate_groups.h"

#include <cldsp/filter_problem.h>
#include <cldsp/rate_ratio.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace cldsp {

using rate_set = std::vector<std::size_t>; // indices of different rates, ascending

//! Some channels of a bank, and everything that the prediction of their ways needs.
struct bank_part {
    std::vector<std::size_t> channels; //!< in the bank, in ascending order
    freq_xlating_filter_bank_problem problem;
    std::vector<filter_channel> prepared;
    std::vector<multirate_channel> multirate;
    multirate_block block;
    plan_shape shape; //!< of the whole part; its decimation means nothing
    std::vector<rate_group> groups;
    std::size_t different_taps = 1;

    std::size_t rates = 1; //!< different ones
    const rate_ratio& rate() const { return multirate.front().rate; }
};

//! A way to compute a part.
struct part_way {
    enum class kind {
        grouped,   //!< each group has an executor of its own, see rate_groups.h
        shared,    //!< all channels share a transform, see host_multirate.h
        resampled, //!< the direct algorithm, see host_resampler.h
    };
    kind how;
    std::string variant;     //!< of `resampled`
    double seconds;          //!< of a typical call, as predicted
    std::size_t bytes;       //!< of the executor
    double making;           //!< seconds, besides those of FFTW's plans
    std::size_t fftw_plans;  //!< that making it may have to measure
    double item_seconds = 0; //!< as multirate_prediction::item_seconds
    std::size_t fft_size = 0;
};

/*!
 * The parts of a bank whose channels have different rates, and the ways to compute them.
 * All predictions are those of the host.
 */
class rate_ways
{
public:
    /*!
     * \param request the whole bank
     * \param named the options that decide which ways are open
     * \param has_host,has_device whether the options leave the host or a device open
     * \param threads of the host
     */
    rate_ways(const filter_request& request,
              const plan_options& named,
              bool has_host,
              bool has_device,
              unsigned threads);

    //! The different rates.
    const std::vector<rate_ratio>& rates() const { return d_all; }
    //! The new items of a typical call.
    std::size_t items() const { return d_items; }
    //! The bytes that the executor of the bank may take.
    std::size_t max_bytes() const { return d_max_bytes; }

    const bank_part& part_of(const rate_set& set);
    //! The ways that are open to a part and fit its share of the memory, the best
    //! predicted one first.
    const std::vector<part_way>& of(const rate_set& set);
    //! The predicted seconds of a typical call; infinite if no way is open.
    double seconds_of(const rate_set& set);
    //! Forgets a set that is not used, unless it is a single rate.
    void forget(const rate_set& set);
    //! \throws std::invalid_argument, which names the rate of a part without a way
    [[noreturn]] void refuse(const bank_part& part) const;

private:
    void share_memory();
    std::vector<part_way> ways_of(const bank_part& part) const;
    std::vector<part_way> ways_within(const bank_part& part,
                                      std::size_t most,
                                      const plan_options& named,
                                      bool with_many_groups) const;
    part_way grouped_way(const bank_part& part, const plan_options& named) const;

    const freq_xlating_filter_bank_problem& d_problem;
    const plan_options d_named;
    const host_rates d_rates;
    const bool d_has_host, d_has_device;
    const unsigned d_threads;
    const std::size_t d_max_bytes;
    // Of d_max_bytes, for a rate. Half, because two executors of it exist at a time,
    // unless there are too many rates for that.
    std::size_t d_share = d_max_bytes / 2;
    std::vector<double> d_kept;         // of each prototype
    std::vector<rate_ratio> d_all;      // different rates
    std::vector<std::size_t> d_rate_of; // index in d_all for each channel
    std::size_t d_items = 1;            // of a typical call
    std::map<rate_set, bank_part> d_parts;
    std::map<rate_set, std::vector<part_way>> d_ways;
};

} // namespace cldsp
