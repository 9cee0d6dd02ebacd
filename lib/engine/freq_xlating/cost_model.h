// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Predicts the seconds of banks on this machine, channels of different rates included.

#pragma once

#include "fast_convolution/host_multirate.h"
#include "filter/host_rates.h"
#include "filter/plan_shape.h"

#include <cldsp/context.h>

#include <cstddef>
#include <limits>
#include <vector>

namespace cldsp {

/*!
 * The rates of this machine. The first call measures them within a tenth of a second, and
 * the registry remembers them.
 */
host_rates calibrated_rates(context_registry& registry);

//! The same, without measuring: those of the reference machine where none are remembered.
host_rates known_rates(context_registry& registry);

//! A channel of a bank whose channels have different rates.
struct multirate_channel {
    rate_ratio rate;
    double kept; //!< see plan_shape
};

//! Channels of one rational rate, by the direct algorithm on the host, see
//! host_resampler.h.
struct resampler_shape {
    rate_ratio rate;
    std::size_t taps = 1; //!< of the longest channel
    std::size_t channels = 1;
    std::size_t different_taps = 1; //!< prototypes
};

class host_direct_variant;

//! The prediction for such channels.
struct resampler_prediction {
    double item_seconds;    //!< for each input item, on one thread
    double call_seconds;    //!< of a typical call
    std::size_t bytes;      //!< of the executor
    double prepare_seconds; //!< to compute the filters
};

/*!
 * \param shape the input, the items of a typical call, the threads, and whether the taps
 *        are real
 */
resampler_prediction predict_resampler(const resampler_shape& its,
                                       const plan_shape& shape,
                                       const host_direct_variant& variant,
                                       const host_rates& rates);

//! The block that is chosen for channels of different rates, see host_multirate.h.
struct multirate_prediction {
    std::size_t fft_size;
    double item_seconds; //!< for each input item, on one thread
    double call_seconds; //!< of a typical call
    std::size_t bytes;   //!< of the executor, while it is made and afterwards
    //! The transforms that FFTW has to plan, each for up to fftw_planning_seconds.
    std::size_t fftw_plans;
    double prepare_seconds; //!< to compute the responses of all channels
};

/*!
 * The block sizes of fast convolution on the host for channels of different rates that
 * are worth a measurement, the best predicted one first, as overlap_save_method::sizes()
 * gives them for a single rate.
 *
 * \param block the unit and the items of an output; its size is ignored
 * \param shape the input, the items of a typical call, and the threads
 * \param most the largest number of sizes
 * \param max_bytes sizes that need more memory are left out, so that there may be none
 */
std::vector<multirate_prediction>
predict_multirate(const multirate_block& block,
                  const plan_shape& shape,
                  const std::vector<multirate_channel>& channels,
                  const host_rates& rates,
                  std::size_t most,
                  std::size_t max_bytes = std::numeric_limits<std::size_t>::max());

} // namespace cldsp
