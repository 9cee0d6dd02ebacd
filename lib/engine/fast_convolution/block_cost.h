// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Predicts the seconds of a block of fast convolution on the host.

#pragma once

#include "filter/host_rates.h"
#include "filter/plan_shape.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cldsp {

// The parts of the predicted cost of a block of fast convolution on the host, in seconds
// of one thread.

//! Seconds of one block: the part that the channels share, and the part of each channel.
struct block_cost {
    double forward, channel;
};

//! The bytes of a channel's gains, as fractions of those of one float for each part of
//! each gain.
struct gain_shares {
    double read = 1; //!< that come from beyond the cache for a block
    double stored = 1;
};

// The number of complex items that the nearest cache holds.
constexpr std::size_t near_items = 4096;

constexpr double fold_members = 16; //!< channels that read bins together

double log2_of(std::size_t size);
//! The number of columns in a vector of the transform by rows.
std::size_t row_width();

//! Seconds by which a transform takes longer if its items, its results and the values
//! between its steps exceed the cache.
//! \param steps the number of times that all values are read and written
double transform_traffic(double items, double steps, const host_rates& rates);

//! Seconds of a block_transform.
double block_transform_cost(std::size_t size, const host_rates& rates);

//! Seconds of the forward transform of a block of selected bins.
//! \param gathers whether the channels fold together, see gathers_bins()
double forward_cost(const plan_shape& shape,
                    std::size_t ifft_size,
                    bool gathers,
                    const host_rates& rates);

//! Seconds of an inverse transform, and of the rotation of its outputs.
double inverse_cost(double outputs, std::size_t ifft_size, const host_rates& rates);

//! The blocks of \p items input items that a thread has in work at the same time.
double
blocks_of_a_thread(const plan_shape& shape, std::size_t items, const host_rates& rates);

//! The blocks for which a gain is read once from beyond the cache: no more than a call
//! has, if a block takes \p new_items further items of the call.
double blocks_of_a_gain(const plan_shape& shape,
                        std::size_t items,
                        std::size_t new_items,
                        const host_rates& rates);

/*!
 * Seconds by which the channels of a block take longer, for each channel, if the bins of
 * the blocks in work and the channels' responses exceed the cache.
 *
 * \param bins of a block, which has \p items input items
 * \param kept the fraction of the bins that a channel reads
 * \param sharing channels that read bins together
 * \param gains the gains that are read for a block, and those that are stored
 */
double channel_traffic(const plan_shape& shape,
                       double bins,
                       std::size_t items,
                       double kept,
                       double sharing,
                       const gain_shares& gains,
                       const host_rates& rates);

/*!
 * Seconds of a channel's fold.
 *
 * \param size the items of a block
 * \param gathers whether the channel folds with others
 * \param gains see channel_traffic()
 */
double fold_cost(const plan_shape& shape,
                 std::size_t size,
                 std::size_t ifft_size,
                 double kept,
                 bool gathers,
                 const gain_shares& gains,
                 const host_rates& rates);

//! The number of valid outputs of a block; 0 if the block is too short for the overlap.
//! \param phases outputs of a row of the block
std::size_t
block_outputs(const plan_shape& shape, std::size_t ifft_size, std::size_t phases = 1);

/*!
 * Up to \p most of the candidates, without those whose size is close to that of an
 * earlier one: measuring them would tell nothing new. \param size_of gives the size of a
 * candidate
 */
template <class Candidate, class F>
std::vector<Candidate> without_close(const std::vector<Candidate>& candidates,
                                     std::size_t most,
                                     const F& size_of)
{
    constexpr double apart = 1.25;
    std::vector<Candidate> chosen;
    for (const auto& candidate : candidates) {
        const bool is_new =
            std::none_of(chosen.begin(), chosen.end(), [&](const Candidate& other) {
                const double ratio = static_cast<double>(size_of(candidate)) /
                                     static_cast<double>(size_of(other));
                return ratio < apart && ratio > 1 / apart;
            });
        if (is_new && chosen.size() < most)
            chosen.push_back(candidate);
    }
    return chosen;
}

//! Whether a size is 2^a 3^b 5^c; every FFT library is fast for such sizes.
bool is_smooth(std::size_t size);

} // namespace cldsp
