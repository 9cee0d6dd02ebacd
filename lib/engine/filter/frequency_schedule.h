// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// A frequency as a function of time, and its phase, exact for days.

#pragma once

#include "base/phase_curve.h"

#include <cldsp/frequency_point.h>
#include <cldsp/sample_type.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace cldsp {

/*!
 * A frequency as a function of time, and its integral, the phase. Both are functions of
 * an item's index alone, counted since the stream began; the items of the history before
 * the stream have negative indices. The phase is continuous, also where the frequency
 * jumps.
 *
 * The phase is computed in integers. It is exact to 2^-46 of a turn for a day at 20 MS/s
 * after each point, and does not depend on how the stream is cut into calls.
 */
class frequency_schedule
{
public:
    /*!
     * The frequency is constant until points are set.
     * \param sampling_freq in Hz, finite and above 0
     * \param hz any finite value
     * \param item the index of an item; like every index, it is at most 2^62 in magnitude
     * \param phase the phase at that item
     * \throws std::invalid_argument naming the parameter, the value and the range
     */
    frequency_schedule(double sampling_freq,
                       double hz,
                       std::int64_t item = 0,
                       phase64 phase = phase64());

    /*!
     * Replaces the schedule from the first point on, and keeps it for earlier items.
     * Items before \p now never change. Of the points before \p now only the last one
     * counts: it takes effect at \p now, with the frequency that it gives for that item.
     * If the list is empty, the frequency stays constant from \p now on.
     * The time it takes depends on the number of points and of those that they replace,
     * but not on how many the schedule has.
     * \param points with rising samples
     * \param now the index of the first item that has not been read yet
     * \throws std::invalid_argument naming the value of the point, e.g. points[3].hz; the
     *         schedule is then unchanged
     */
    void set_points(const std::vector<frequency_point>& points, std::int64_t now);

    //! Discards the schedule of the items before \p item. The other functions must not be
    //! called for these items any more.
    void forget_before(std::int64_t item);

    //! The phase at an item, rounded to the nearest 2^-64 of a turn.
    phase64 phase_at(std::int64_t item) const
    {
        return piece_of(item).curve.at(item).rounded();
    }
    //! The frequency at an item, in Hz; where it jumps, the frequency after the jump.
    double frequency_at(std::int64_t item) const;
    //! Whether the frequency neither changes at \p item nor later.
    bool is_constant_from(std::int64_t item) const;

    //! The phase near an item.
    struct stretch {
        phase_curve curve;
        std::int64_t end; //!< the first item after it for which another curve holds
    };
    stretch stretch_at(std::int64_t item) const;
    //! The number of curves that it remembers, 1 or more.
    std::size_t stretches() const { return d_pieces.size(); }

    /*!
     * Moves the frequency to 0 Hz: \p out[i] is item i of \p in, with the scaling of its
     * type, times exp(-j 2 pi phase_at(\p first + i)). The result does not depend on how
     * the items are cut into calls, to the bit.
     * \param out must not overlap \p in; no pointer needs any alignment
     */
    void mix(const void* in,
             sample_type type,
             std::int64_t first,
             std::complex<float>* out,
             std::size_t items) const;

private:
    struct piece {
        std::int64_t start;    // the first item for which it holds
        frequency_point point; // what frequency_at() computes with
        phase_curve curve;
    };

    static constexpr std::int64_t always = std::numeric_limits<std::int64_t>::min();

    //! \return the index of the piece that holds for the item
    std::size_t index_of(std::int64_t item) const;
    const piece& piece_of(std::int64_t item) const { return d_pieces[index_of(item)]; }
    double frequency_of(const piece& of, std::int64_t item) const;

    double d_sampling_freq;
    // With rising starts; the first one has always held. Pieces are added at the end and
    // forgotten at the beginning, and neither may take longer because there are many.
    std::deque<piece> d_pieces;
};

} // namespace cldsp
