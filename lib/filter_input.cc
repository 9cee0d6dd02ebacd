/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "filter_input.h"
#include <cldsp/errors.h>
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace gr {
namespace cldsp {

namespace {

// What GNU Radio keeps costs no time, and few filters need more.
constexpr std::size_t min_past_taps = 8192;

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
      d_past_items((check_max_taps(taps), std::max(min_past_taps, 4 * taps)) - 1),
      d_item_size(::cldsp::sample_size(type)),
      d_zero_value(zero_item_value(type))
{
}

void filter_input::check_max_taps(std::size_t taps)
{
    if (taps > max_taps())
        ::cldsp::throw_invalid("taps",
                               std::to_string(taps) + " values",
                               "1 to " + std::to_string(max_taps()) + " values");
}

void filter_input::start()
{
    d_begun = false;
    d_copy_past = 0;
}

// What lies before the first item is in the first call's past: zeros in a new flowgraph,
// items of the stream in one that was reconfigured.
void filter_input::begin(const void* in)
{
    d_begun = true;
    const auto* bytes = static_cast<const unsigned char*>(in);
    const bool filled =
        d_zero_value != 0.0 && std::all_of(bytes,
                                           bytes + past_items() * d_item_size,
                                           [](unsigned char b) { return b == 0; });
    d_known = filled ? 0 : past_items();
}

/*!
 * \param in past_items() items
 * \param past items that the copy shall keep: zero bytes, and at their end what is there
 */
void filter_input::begin_copy(const unsigned char* in, std::size_t past)
{
    const std::size_t there = d_copy_past ? d_copy_past : past_items();
    const auto* newest =
        d_copy_past ? d_copy.data() + d_copy_end : in + there * d_item_size;
    d_copy_known = std::min<std::uint64_t>(d_copy_past ? d_copy_known : d_known, there);

    std::vector<unsigned char> kept(past * d_item_size);
    std::copy_n(newest - there * d_item_size,
                there * d_item_size,
                kept.end() - static_cast<std::ptrdiff_t>(there * d_item_size));
    d_copy_end = kept.size();
    d_copy.swap(kept);
    d_copy_past = past;
}

/*!
 * Appends items, after the ones that are kept have moved to the front where there is no
 * room. There is room for as many again as are kept, so that an item moves once at most.
 *
 * \return the first of the new items
 */
const unsigned char* filter_input::copy(const unsigned char* fresh, std::size_t count)
{
    const std::size_t kept = d_copy_past * d_item_size;
    const std::size_t more = count * d_item_size;
    if (d_copy_end + more > d_copy.size()) {
        const auto from = d_copy.begin() + static_cast<std::ptrdiff_t>(d_copy_end - kept);
        if (kept + more <= d_copy.size() / 2) {
            std::copy_n(from, kept, d_copy.begin());
        } else {
            std::vector<unsigned char> larger(2 * (kept + more));
            std::copy_n(from, kept, larger.begin());
            d_copy.swap(larger);
        }
        d_copy_end = kept;
    }
    std::copy_n(fresh, more, d_copy.data() + d_copy_end);
    d_copy_end += more;
    d_copy_known += count;
    return d_copy.data() + d_copy_end - more;
}

filter_input::window
filter_input::next(const void* in, std::size_t outputs, std::size_t taps)
{
    if (!d_begun)
        begin(in);
    const auto* items = static_cast<const unsigned char*>(in);
    const auto* first = items + past_items() * d_item_size;
    const std::size_t count = outputs * d_decimation;

    if (taps - 1 > past_items() && taps - 1 > d_copy_past)
        begin_copy(items, taps - 1);
    const std::uint64_t before = d_known;
    d_known += count;
    if (taps - 1 <= past_items()) {
        d_copy_past = 0;
        std::vector<unsigned char>().swap(d_copy);
        return { first - (taps - 1) * d_item_size, taps - 1 + count, before };
    }
    const std::uint64_t known = d_copy_known;
    first = copy(first, count);
    return { first - (taps - 1) * d_item_size, taps - 1 + count, known };
}

void filter_input::remove_filling(const window& read,
                                  const ::cldsp::freq_xlating_fir_problem& problem,
                                  ::cldsp::phase64 phase,
                                  gr_complex* out,
                                  std::size_t outputs) const
{
    const std::size_t taps = problem.taps.size();
    if (!needs_removal(read, taps))
        return;

    // tail[i - first]: the sum of the rotated taps from i on, which meet the items before
    // the first known one.
    std::size_t first = read.known + 1;
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
