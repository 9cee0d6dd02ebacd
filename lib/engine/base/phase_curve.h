// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Phases that are quadratic in an item's index, in 128 bits of a turn.

#pragma once

#include <cldsp/phase.h>

#include <cstdint>

namespace cldsp {

/*!
 * An angle as a 128-bit fraction of a turn, for phases that are quadratic in an item's
 * index. The square of the number of items in a day at 20 MS/s has 82 bits. Rounding may
 * make as many of the 128 bits wrong, so that the upper 46 are right. The angle is stored
 * as two 64-bit numbers, because compilers for 32-bit processors have no 128-bit integer.
 */
class phase128
{
public:
    constexpr phase128() = default;
    constexpr explicit phase128(phase64 phase) : d_high(phase.fraction()) {}
    constexpr phase128(std::uint64_t high, std::uint64_t low) : d_high(high), d_low(low)
    {
    }

    /*!
     * \p turns / \p divisor ^ \p power turns. The quotient is rounded to the nearest
     * 2^-128 of a turn, and quotients below that are zero.
     * \param turns any finite value
     * \param divisor finite and above 0
     * \param power 1 or 2
     */
    static phase128 quotient(double turns, double divisor, int power = 1);

    constexpr std::uint64_t high() const { return d_high; }
    constexpr std::uint64_t low() const { return d_low; }
    //! Rounded to the nearest 2^-64 of a turn.
    constexpr phase64 rounded() const { return phase64(d_high + (d_low >> 63)); }

    constexpr phase128 operator+(phase128 o) const
    {
        const std::uint64_t low = d_low + o.d_low;
        return { d_high + o.d_high + (low < d_low ? 1 : 0), low };
    }
    constexpr phase128 operator-() const
    {
        return { ~d_high + (d_low == 0 ? 1 : 0), 0 - d_low };
    }
    constexpr phase128 operator-(phase128 o) const { return *this + -o; }
    //! The phase after \p n steps, if this is one step.
    phase128 operator*(std::int64_t n) const;
    phase128& operator+=(phase128 o) { return *this = *this + o; }
    constexpr bool operator==(phase128 o) const
    {
        return d_high == o.d_high && d_low == o.d_low;
    }

private:
    std::uint64_t d_high = 0;
    std::uint64_t d_low = 0;
};

/*!
 * A phase that is quadratic in the index n of an item:
 *
 * at(n) = phase + step d + bend d^2,  d = n - origin
 *
 * It is computed in integers, so that the phase of an item does not depend on the calls
 * before it.
 */
struct phase_curve {
    std::int64_t origin = 0;
    phase128 phase; //!< at the origin
    phase128 step;  //!< turns per item at the origin
    phase128 bend;  //!< half of the change of the frequency, in turns per item squared

    phase128 at(std::int64_t item) const
    {
        const std::int64_t d = item - origin;
        return phase + (step + bend * d) * d;
    }
    //! The change of the phase from \p item to the next item.
    phase128 step_after(std::int64_t item) const
    {
        const std::int64_t d = item - origin;
        return step + bend * d + bend * (d + 1);
    }
    //! The derivative at \p item, in turns per item.
    phase128 slope_at(std::int64_t item) const
    {
        return step + bend * (item - origin) + bend * (item - origin);
    }
};

} // namespace cldsp
