// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The rate of each channel of a bank, from decimations or output rates.

#ifndef INCLUDED_CLDSP_CHANNEL_RATES_H
#define INCLUDED_CLDSP_CHANNEL_RATES_H

#include <cldsp/rate_ratio.h>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

// The arguments "decimation" and "output_rate" of a bank. For each channel one of them is
// given, and the other is 0; if both are given, they have to agree. A decimation of 1,
// which is what it is by default, gives way to an output rate.

/*!
 * The rates of the slots of a bank.
 *
 * \param decimations one for all slots, or one for each
 * \param output_rates in Hz, one for all slots, or one for each
 * \param sampling_freq rate of the input in Hz
 * \param slots the number of slots
 * \throws std::invalid_argument naming the argument and its index
 */
std::vector<::cldsp::rate_ratio> channel_rates(const std::vector<int>& decimations,
                                               const std::vector<double>& output_rates,
                                               double sampling_freq,
                                               std::size_t slots);

//! The rates of slots that are not those of \p output_rates, each once, for people.
//! \param rates as channel_rates() returns them
std::vector<std::string> other_rates(const std::vector<double>& output_rates,
                                     double sampling_freq,
                                     const std::vector<::cldsp::rate_ratio>& rates);

//! The rate that a channel is added for; empty: both arguments are 0.
//! \throws std::invalid_argument for a bad value, or unless one of \p rates is this rate
std::optional<::cldsp::rate_ratio>
added_rate(int decimation,
           double output_rate,
           double sampling_freq,
           const std::vector<::cldsp::rate_ratio>& rates);

//! The largest decimation by which no slot has more outputs than it would have with its
//! own rate.
std::size_t decimation_of(const std::vector<::cldsp::rate_ratio>& rates);

} // namespace cldsp
} // namespace gr

#endif /* INCLUDED_CLDSP_CHANNEL_RATES_H */
