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

constexpr std::size_t least_max_taps = 8192;

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
      d_max_taps(std::max(least_max_taps, 4 * taps)),
      d_item_size(::cldsp::sample_size(type)),
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

void filter_input::start()
{
    d_begun = false;
    d_items = 0;
}

// What lies before the first item is in the first call's past: zeros in a new flowgraph,
// items of the stream in one that was reconfigured.
void filter_input::begin(const void* in)
{
    d_begun = true;
    const auto* bytes = static_cast<const unsigned char*>(in);
    d_preloaded =
        d_zero_value != 0.0 && std::all_of(bytes,
                                           bytes + past_items() * d_item_size,
                                           [](unsigned char b) { return b == 0; });
}

filter_input::window
filter_input::next(const void* in, std::size_t outputs, std::size_t taps)
{
    if (!d_begun)
        begin(in);
    const std::size_t count = outputs * d_decimation;
    const window result{ static_cast<const unsigned char*>(in) +
                             (d_max_taps - taps) * d_item_size,
                         taps - 1 + count,
                         d_items };
    d_items += count;
    return result;
}

void filter_input::remove_preload(const window& read,
                                  const ::cldsp::freq_xlating_fir_problem& problem,
                                  ::cldsp::phase64 phase,
                                  gr_complex* out,
                                  std::size_t outputs) const
{
    const std::size_t taps = problem.taps.size();
    if (!needs_removal(read, taps))
        return;

    // tail[i - first]: the sum of the rotated taps from i on, which meet the items before
    // the first.
    std::size_t first = read.new_items + 1;
    std::vector<std::complex<double>> tail(taps - first + 1);
    for (std::size_t k = taps; k-- > first;)
        tail[k - first] = tail[k - first + 1] + std::complex<double>(problem.taps[k]) *
                                                    (problem.step() * k).phasor();

    const ::cldsp::phase64 step = problem.step() * problem.decimation;
    for (std::size_t n = 0, i = 0; n < outputs && i < tail.size();
         n++, i += problem.decimation) {
        out[n] -= gr_complex(d_zero_value * tail[i] * phase.phasor());
        phase = phase - step;
    }
}

} // namespace cldsp
} // namespace gr
