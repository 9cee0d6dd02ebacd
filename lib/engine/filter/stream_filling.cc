/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/stream_filling.h>

#include <cldsp/interpolated_taps.h>

#include <vector>

namespace cldsp {

void subtract_filling(const stream_filling& filling,
                      const freq_xlating_fir_problem& problem,
                      const rate_ratio& rate,
                      phase64 phase,
                      std::complex<float>* out,
                      std::size_t outputs)
{
    const std::size_t taps = problem.taps.size() + rate.further_taps();
    // Outputs at different times between two items have different taps. tails[p][i] is
    // the sum of the rotated taps from i on, for the outputs p, p + P, ...: these taps
    // were multiplied by items before the first known one.
    std::vector<std::vector<std::complex<double>>> tails(rate.interpolation);
    const auto tail_of = [&](std::size_t which) -> const auto&
    {
        auto& tail = tails[which];
        if (!tail.empty())
            return tail;
        const auto list = interpolated_taps(problem.taps, rate, which);
        tail.resize(list.size() + 1);
        for (std::size_t k = list.size(); k-- > 0;)
            tail[k] = tail[k + 1] +
                      std::complex<double>(list[k]) * (problem.step() * k).phasor();
        return tail;
    };

    const std::uint64_t first = rate.outputs(filling.position);
    const std::uint64_t newest = rate.newest_item(first);
    for (std::size_t n = 0; n < outputs; n++) {
        const std::uint64_t item = rate.newest_item(first + n);
        // The items of the output's window that came with the stream.
        const std::uint64_t good = item + 1 + filling.known - filling.position;
        if (good >= taps)
            break;
        const auto& tail = tail_of((first + n) % rate.interpolation);
        const auto turned = phase - problem.step() * (item - newest);
        out[n] -= std::complex<float>(filling.value * tail[good] * turned.phasor());
    }
}

} // namespace cldsp
