/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/phase.h>

#include <cmath>

namespace cldsp {

phase64 phase64::from_turns(double turns)
{
    // remainder() is exact, so whole turns cost no precision. Half a turn has two names,
    // of which only the negative one fits a signed integer.
    double rest = std::remainder(turns, 1.0);
    if (rest >= 0.5)
        rest = -0.5;
    const auto fraction = static_cast<std::int64_t>(std::nearbyint(rest * 0x1p64));
    return phase64(static_cast<std::uint64_t>(fraction));
}

std::complex<double> phase64::phasor() const
{
    constexpr double two_pi = 6.283185307179586476925286766559;
    return std::polar(1.0, two_pi * turns());
}

} // namespace cldsp
