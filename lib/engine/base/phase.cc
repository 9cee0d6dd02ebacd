// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Fractions of a turn from angles, and their phasors by a table and a short series.

#include <cldsp/phase.h>

#include <array>
#include <cmath>
#include <cstddef>

namespace cldsp {

namespace {

constexpr double two_pi = 6.283185307179586476925286766559;

} // namespace

phase64 phase64::from_turns(double turns)
{
    // remainder() is exact, so whole turns cost no precision. Half a turn can be 0.5 or
    // -0.5, of which only -0.5 fits a signed integer.
    double rest = std::remainder(turns, 1.0);
    if (rest >= 0.5)
        rest = -0.5;
    const auto fraction = static_cast<std::int64_t>(std::nearbyint(rest * 0x1p64));
    return phase64(static_cast<std::uint64_t>(fraction));
}

std::complex<double> phase64::phasor() const { return std::polar(1.0, two_pi * turns()); }

std::complex<float> phase64::float_phasor() const
{
    // The result is a phasor of the table, rotated by the rest of the phase. The rest is
    // so small that a few terms of the series of sine and cosine are enough.
    constexpr int bits = 8;
    constexpr std::size_t size = std::size_t(1) << bits;
    static const auto table = [] {
        std::array<std::complex<double>, size> all;
        for (std::size_t i = 0; i < size; i++)
            all[i] = phase64(static_cast<std::uint64_t>(i) << (64 - bits)).phasor();
        return all;
    }();
    constexpr std::uint64_t half = std::uint64_t(1) << (63 - bits);
    const std::uint64_t index = (d_fraction + half) >> (64 - bits);
    const phase64 rest(d_fraction - (index << (64 - bits)));
    const std::complex<double> near = table[index];
    const double x = two_pi * rest.turns();
    const double square = x * x;
    const double sine = x * (1 - square / 6);
    const double cosine = 1 - square / 2 + square * square / 24;
    return { static_cast<float>(near.real() * cosine - near.imag() * sine),
             static_cast<float>(near.imag() * cosine + near.real() * sine) };
}

} // namespace cldsp
