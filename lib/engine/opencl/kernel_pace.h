// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Bounds the time of one kernel, so that a GPU can draw the desktop between kernels.

#pragma once

#include <algorithm>
#include <cstddef>

namespace cldsp {

/*!
 * Limits the work of one kernel, so that no kernel runs longer than a given time: while a
 * kernel runs, a GPU cannot draw the desktop.
 *
 * The first kernel is small. The sizes of later ones follow from the measured rate. The
 * caller chooses the unit of work, such as an output or a row.
 */
class kernel_pace
{
public:
    //! \param longest the longest time of a kernel in seconds; 0: no limit
    //! \param first the units of the first kernel, before a rate was measured
    explicit kernel_pace(double longest, std::size_t first)
        : d_longest(longest), d_most(std::max<std::size_t>(1, first))
    {
    }

    //! The units that the next kernel should do, where \p wanted units remain.
    std::size_t units(std::size_t wanted) const
    {
        return d_longest > 0 ? std::min(wanted, d_most) : wanted;
    }

    //! Reports the time that a kernel of \p units units took.
    void ran(std::size_t units, double seconds)
    {
        if (!(d_longest > 0) || units == 0)
            return;
        // The aim is below the limit, because the time per unit differs from kernel to
        // kernel. One fast kernel makes the next at most four times as large.
        constexpr double aim = 0.7, max_growth = 4;
        const double growth = seconds > 0 ? aim * d_longest / seconds
                                          : max_growth; // too short for the clock
        const double next = static_cast<double>(units) * std::min(growth, max_growth);
        // The last kernel of a call may be small. If it was fast enough, it does not
        // lower the limit.
        if (units < d_most && next > static_cast<double>(units))
            d_most = std::max(d_most, clamped(next));
        else
            d_most = clamped(next);
    }

private:
    static std::size_t clamped(double units)
    {
        constexpr double most = 1e15;
        return static_cast<std::size_t>(std::clamp(units, 1.0, most));
    }

    double d_longest;
    std::size_t d_most;
};

} // namespace cldsp
