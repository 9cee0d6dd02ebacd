// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// An angle as a 64-bit fraction of a turn, which never drifts.

#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace cldsp {

/*!
 * An angle as a 64-bit fraction of a turn. It wraps round without rounding, so that
 * adding an integer step any number of times never drifts.
 */
class phase64
{
public:
    constexpr phase64() = default;
    constexpr explicit phase64(std::uint64_t fraction) : d_fraction(fraction) {}

    //! Converts any finite number of turns, rounded to the nearest 2^-64 of a turn.
    static phase64 from_turns(double turns);
    //! The angle in turns, in [-0.5, 0.5).
    double turns() const
    {
        return static_cast<double>(static_cast<std::int64_t>(d_fraction)) * 0x1p-64;
    }
    //! exp(j 2 pi turns)
    std::complex<double> phasor() const;
    //! As phasor() to within 1e-7, and several times as fast.
    std::complex<float> float_phasor() const;

    constexpr std::uint64_t fraction() const { return d_fraction; }
    constexpr std::uint32_t high() const
    {
        return static_cast<std::uint32_t>(d_fraction >> 32);
    }
    constexpr std::uint32_t low() const { return static_cast<std::uint32_t>(d_fraction); }

    constexpr phase64 operator+(phase64 o) const
    {
        return phase64(d_fraction + o.d_fraction);
    }
    constexpr phase64 operator-(phase64 o) const
    {
        return phase64(d_fraction - o.d_fraction);
    }
    constexpr phase64 operator-() const { return phase64(0 - d_fraction); }
    //! The phase after \p n steps, if this is one step.
    constexpr phase64 operator*(std::uint64_t n) const { return phase64(d_fraction * n); }
    phase64& operator+=(phase64 o) { return *this = *this + o; }
    constexpr bool operator==(phase64 o) const { return d_fraction == o.d_fraction; }

private:
    std::uint64_t d_fraction = 0;
};

} // namespace cldsp
