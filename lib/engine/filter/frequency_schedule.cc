// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Checks the points of a schedule, and gives the phase curve between them.

#include "filter/frequency_schedule.h"

#include "simd/mixer.h"

#include <cldsp/errors.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace cldsp {

void check_points(const std::vector<frequency_point>& points)
{
    for (std::size_t i = 0; i < points.size(); i++) {
        const frequency_point& point = points[i];
        const std::string name = "points[" + std::to_string(i) + "]";
        const std::string sample = std::to_string(point.sample);
        if (point.sample < 0 || point.sample > frequency_point::max_sample)
            throw_invalid(name + ".sample",
                          sample,
                          "0 to " + std::to_string(frequency_point::max_sample));
        if (i > 0 && point.sample <= points[i - 1].sample)
            throw_invalid(name + ".sample",
                          sample,
                          "above the sample of the point before, " +
                              std::to_string(points[i - 1].sample));
        if (!std::isfinite(point.hz))
            throw_invalid(name + ".hz", std::to_string(point.hz), "finite");
        if (!std::isfinite(point.hz_per_second))
            throw_invalid(
                name + ".hz_per_second", std::to_string(point.hz_per_second), "finite");
    }
}

frequency_schedule::frequency_schedule(double sampling_freq,
                                       double hz,
                                       std::int64_t item,
                                       phase64 phase)
    : d_sampling_freq(sampling_freq)
{
    if (!(sampling_freq > 0 && std::isfinite(sampling_freq)))
        throw_invalid("sampling_freq", number_text(sampling_freq), "finite and above 0");
    if (!std::isfinite(hz))
        throw_invalid("center_freq", std::to_string(hz), "finite");
    const phase128 step = phase128::quotient(hz, sampling_freq);
    d_pieces = { { always, { item, hz, 0 }, { item, phase128(phase), step, {} } } };
}

void frequency_schedule::set_points(const std::vector<frequency_point>& points,
                                    std::int64_t now)
{
    check_points(points);
    const std::int64_t first =
        points.empty() ? now : std::max(now, points.front().sample);
    std::size_t kept = d_pieces.size();
    while (kept > 1 && d_pieces[kept - 1].start >= first)
        kept--;

    std::vector<piece> fresh;
    fresh.reserve(points.size() + 1);
    const auto last = [&]() -> const piece& {
        return fresh.empty() ? d_pieces[kept - 1] : fresh.back();
    };
    if (points.empty()) {
        const double hz = frequency_of(last(), now);
        const phase_curve& curve = last().curve;
        fresh.push_back(
            { now, { now, hz, 0 }, { now, curve.at(now), curve.slope_at(now), {} } });
    }
    for (std::size_t i = 0; i < points.size(); i++) {
        if (i + 1 < points.size() && points[i + 1].sample <= now)
            continue;
        const frequency_point& point = points[i];
        const std::int64_t start = std::max(now, point.sample);
        // Halving a double is exact, except for values too small to matter.
        phase_curve curve{ point.sample,
                           phase128(),
                           phase128::quotient(point.hz, d_sampling_freq),
                           phase128::quotient(
                               point.hz_per_second / 2, d_sampling_freq, 2) };
        curve.phase = last().curve.at(start) - curve.at(start);
        fresh.push_back({ start, point, curve });
    }
    // The insertion may lack memory, and then changes nothing.
    const auto replaced = static_cast<std::ptrdiff_t>(d_pieces.size() - kept);
    const auto begin = d_pieces.insert(d_pieces.end(), fresh.begin(), fresh.end());
    d_pieces.erase(begin - replaced, begin);
}

void frequency_schedule::forget_before(std::int64_t item)
{
    const auto past = static_cast<std::ptrdiff_t>(index_of(item));
    d_pieces.erase(d_pieces.begin(), d_pieces.begin() + past);
    d_pieces.front().start = always;
}

std::size_t frequency_schedule::index_of(std::int64_t item) const
{
    const auto after = std::upper_bound(
        d_pieces.begin() + 1, d_pieces.end(), item, [](std::int64_t at, const piece& p) {
            return at < p.start;
        });
    return static_cast<std::size_t>(after - d_pieces.begin()) - 1;
}

double frequency_schedule::frequency_of(const piece& of, std::int64_t item) const
{
    const auto items = static_cast<double>(item - of.point.sample);
    return of.point.hz + of.point.hz_per_second * (items / d_sampling_freq);
}

double frequency_schedule::frequency_at(std::int64_t item) const
{
    return frequency_of(piece_of(item), item);
}

bool frequency_schedule::is_constant_from(std::int64_t item) const
{
    return index_of(item) + 1 == d_pieces.size() &&
           d_pieces.back().curve.bend == phase128();
}

frequency_schedule::stretch frequency_schedule::stretch_at(std::int64_t item) const
{
    const std::size_t current = index_of(item);
    return { d_pieces[current].curve,
             current + 1 == d_pieces.size() ? std::numeric_limits<std::int64_t>::max()
                                            : d_pieces[current + 1].start };
}

void frequency_schedule::mix(const void* in,
                             sample_type type,
                             std::int64_t first,
                             std::complex<float>* out,
                             std::size_t items) const
{
    const auto* bytes = static_cast<const char*>(in);
    while (items > 0) {
        const stretch current = stretch_at(first);
        const auto left =
            static_cast<std::uint64_t>(current.end) - static_cast<std::uint64_t>(first);
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(items, left));
        mix_to_zero(bytes, type, current.curve, first, out, count);
        bytes += count * sample_size(type);
        out += count;
        first += static_cast<std::int64_t>(count);
        items -= count;
    }
}

} // namespace cldsp
