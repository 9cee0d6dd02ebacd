/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter_input.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

namespace {

constexpr std::size_t min_reserve = 8192;

std::complex<double> zero_item_value(::cldsp::sample_type type)
{
    const unsigned char zeros[16] = {};
    return ::cldsp::sample_at(zeros, type, 0);
}

} // namespace

filter_input::filter_input(::cldsp::sample_type type,
                           std::size_t decimation,
                           std::size_t taps)
    : d_decimation(decimation),
      d_past_items(taps - 1),
      d_max_taps(std::max(min_reserve, 4 * taps)),
      d_item_size(::cldsp::sample_size(type)),
      d_history(d_item_size, d_max_taps, decimation),
      d_zero_value(zero_item_value(type))
{
}

void filter_input::check_max_taps(std::size_t taps) const
{
    if (taps > d_max_taps)
        ::cldsp::throw_invalid(
            "taps",
            std::to_string(taps) + " values",
            "1 to " + std::to_string(d_max_taps) +
                " values (the larger of 8192 and four times the number "
                "at construction)");
}

void filter_input::start(::cldsp::memory_region memory)
{
    d_memory = memory;
    d_begun = false;
    d_items = 0;
}

// What lies before the first item is in the first call's past: zeros in a new flowgraph,
// items of the stream in one that was reconfigured.
void filter_input::begin(const void* in)
{
    d_begun = true;
    d_history.reset();
    d_history.append(in, d_past_items);
    const auto* bytes = static_cast<const unsigned char*>(in);
    d_preloaded =
        d_zero_value != 0.0 && std::all_of(bytes,
                                           bytes + d_past_items * d_item_size,
                                           [](unsigned char b) { return b == 0; });
}

const unsigned char* filter_input::new_items(const void* in, std::size_t output) const
{
    return static_cast<const unsigned char*>(in) +
           (d_past_items + output * d_decimation) * d_item_size;
}

filter_input::piece filter_input::next_piece(const void* in,
                                             std::size_t output,
                                             std::size_t outputs,
                                             std::size_t taps)
{
    const std::size_t past = taps - 1;
    const unsigned char* items = new_items(in, output);
    if (!kept(taps))
        return { items - past * d_item_size,
                 past + outputs * d_decimation,
                 output,
                 outputs,
                 d_items };

    const std::size_t count = std::min(d_history.max_append() / d_decimation, outputs);
    d_history.append(items, count * d_decimation);
    const std::size_t window = past + count * d_decimation;
    return { d_history.newest(window), window, output, count, d_items };
}

void filter_input::remove_preload(const piece& piece,
                                  const ::cldsp::freq_xlating_fir_problem& problem,
                                  ::cldsp::phase64 phase,
                                  gr_complex* out) const
{
    const std::size_t taps = problem.taps.size();
    if (!needs_removal(piece, taps))
        return;

    // tail[i - first]: the sum of the rotated taps from i on, which meet the items before
    // the first.
    std::size_t first = piece.new_items + 1;
    std::vector<std::complex<double>> tail(taps - first + 1);
    for (std::size_t k = taps; k-- > first;)
        tail[k - first] = tail[k - first + 1] + std::complex<double>(problem.taps[k]) *
                                                    (problem.step() * k).phasor();

    const ::cldsp::phase64 step = problem.step() * problem.decimation;
    for (std::size_t n = 0, i = 0; n < piece.outputs && i < tail.size();
         n++, i += problem.decimation) {
        out[n] -= gr_complex(d_zero_value * tail[i] * phase.phasor());
        phase = phase - step;
    }
}

} // namespace cldsp
} // namespace gr
