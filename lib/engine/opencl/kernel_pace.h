/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <algorithm>
#include <cstddef>

namespace cldsp {

/*!
 * How much work one kernel may take, so that none runs longer than a time: a GPU that
 * also draws a desktop cannot do so while a kernel runs.
 *
 * The first kernel is small; later ones follow the rate that was measured. What a unit of
 * work is, an output or a row, is the caller's choice.
 */
class kernel_pace
{
public:
    //! \param longest seconds that a kernel may take; 0: any time
    //! \param first units of the first kernel, when nothing is known
    explicit kernel_pace(double longest, std::size_t first)
        : d_longest(longest), d_most(std::max<std::size_t>(1, first))
    {
    }

    //! Units of the next kernel of which \p wanted could be done; 1 at least.
    std::size_t units(std::size_t wanted) const
    {
        return d_longest > 0 ? std::min(wanted, d_most) : wanted;
    }

    //! A kernel of so many units took so many seconds.
    void ran(std::size_t units, double seconds)
    {
        if (!(d_longest > 0) || units == 0)
            return;
        // The aim is below the limit, because the time per unit differs from kernel to
        // kernel. One fast kernel makes the next at most four times as large.
        constexpr double aim = 0.7, max_growth = 4;
        const double growth = seconds > 0 ? aim * d_longest / seconds
                                          : max_growth; // below the clock's step
        const double next = static_cast<double>(units) * std::min(growth, max_growth);
        // What is left of a call says nothing of larger kernels.
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
