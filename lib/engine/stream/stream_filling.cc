// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Computes what the filling adds to outputs at a constant frequency, and on a schedule.

#include "stream/stream_filling.h"

#include <cldsp/interpolated_taps.h>

#include <vector>

namespace cldsp {

namespace {

using sums = std::vector<std::complex<double>>;

/*!
 * Subtracts from each output that reads the filling what it adds.
 *
 * \param taps the number of taps of the channel's filter
 * \param make gives for the outputs p, p + P, ... the list from which \p sum computes
 * \param sum computes the contribution from the list, the output's newest item, and how
 *        many items of its window came with the stream: the newest ones, at least one
 */
template <class MAKE, class SUM>
void subtract_sums(const stream_filling& filling,
                   const rate_ratio& rate,
                   std::size_t taps,
                   std::complex<float>* out,
                   std::size_t outputs,
                   const MAKE& make,
                   const SUM& sum)
{
    std::vector<decltype(make(std::size_t()))> lists(rate.interpolation);
    const std::uint64_t first = rate.outputs(filling.position);
    for (std::size_t n = 0; n < outputs; n++) {
        const std::uint64_t item = rate.newest_item(first + n);
        const std::uint64_t good = item + 1 + filling.known - filling.position;
        if (good >= taps)
            return;
        const std::size_t which = (first + n) % rate.interpolation;
        if (lists[which].empty())
            lists[which] = make(which);
        out[n] -=
            std::complex<float>(sum(lists[which], item, static_cast<std::size_t>(good)));
    }
}

//! The sums of the last items of \p list, each item multiplied by a rotated tap.
sums tails(const std::vector<std::complex<float>>& taps, phase64 step)
{
    sums tail(taps.size() + 1);
    for (std::size_t k = taps.size(); k-- > 0;)
        tail[k] = tail[k + 1] + std::complex<double>(taps[k]) * (step * k).phasor();
    return tail;
}

//! The filling that taps of this number reach, mixed by the schedule of the channel, from
//! its newest item backwards.
sums mixed_filling(const stream_filling& filling,
                   const freq_xlating_filter_bank& bank,
                   std::size_t channel,
                   std::size_t taps)
{
    sums mixed;
    const auto newest = static_cast<std::int64_t>(filling.position - filling.known) - 1;
    for (std::size_t i = 0; i < taps; i++) {
        const auto item = newest - static_cast<std::int64_t>(i);
        mixed.push_back(filling.value *
                        (-bank.schedule_at(channel, item).phase).phasor());
    }
    return mixed;
}

} // namespace

void subtract_filling(const stream_filling& filling,
                      const freq_xlating_filter_bank& bank,
                      std::size_t channel,
                      phase64 phase,
                      std::complex<float>* out,
                      std::size_t outputs)
{
    const auto problem = bank.problem().channel(channel);
    const rate_ratio rate = bank.rate(channel);
    const std::size_t taps = problem.taps.size() + rate.further_taps();
    if (bank.has_schedule(channel)) {
        const auto mixed = mixed_filling(filling, bank, channel, taps);
        return subtract_sums(
            filling,
            rate,
            taps,
            out,
            outputs,
            [&](std::size_t which) {
                return interpolated_taps(problem.taps, rate, which);
            },
            [&](const auto& list, std::uint64_t, std::size_t good) {
                std::complex<double> sum = 0;
                for (std::size_t k = good; k < taps; k++)
                    sum += std::complex<double>(list[k]) * mixed[k - good];
                return sum;
            });
    }
    const phase64 step = problem.step();
    const std::uint64_t newest = rate.newest_item(rate.outputs(filling.position));
    subtract_sums(
        filling,
        rate,
        taps,
        out,
        outputs,
        [&](std::size_t which) {
            return tails(interpolated_taps(problem.taps, rate, which), step);
        },
        [&](const auto& tail, std::uint64_t item, std::size_t good) {
            const auto turned = phase - step * (item - newest);
            return filling.value * tail[good] * turned.phasor();
        });
}

} // namespace cldsp
