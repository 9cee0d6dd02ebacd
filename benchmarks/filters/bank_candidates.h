// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The engine's filters and banks as candidates of a comparison.

#pragma once

#include "filters/engine_candidates.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cldsp::bench {

/*!
 * Fast convolution on the host with blocks of one size.
 *
 * \param variant "polyphase" or "selected_bins"
 * \param registry the registry in which this machine was calibrated
 * \throws std::invalid_argument for a size that does not fit
 */
std::unique_ptr<candidate> make_block_candidate(const bank_workload& work,
                                                const call_memory& memory,
                                                const std::string& variant,
                                                std::size_t ifft_size,
                                                double accuracy,
                                                unsigned threads,
                                                context_registry& registry);

//! The expected outputs of a filter, or of a few channels of a bank, from the first to
//! the last: several engines may share the channels.
class expected_channels
{
public:
    static constexpr std::size_t max_compared = 8; //!< number of channels

    expected_channels(const bank_workload& work, const call_memory& memory);
    //! Calls the candidate once, and returns the largest error of these channels in dB;
    //! see expected_outputs::error_db(). The outputs of an earlier call are overwritten
    //! before.
    double error_db(candidate& filter) const;

private:
    const call_memory& d_memory;
    std::map<std::size_t, expected_outputs> d_expected; // by the channel's number
};

//! Makes one candidate that calls several candidates one after the other.
std::unique_ptr<candidate> make_group(std::vector<std::unique_ptr<candidate>> candidates);

} // namespace cldsp::bench
