// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Products and quotients of 128-bit fractions of a turn.

#include "base/phase_curve.h"

#include <cmath>

namespace cldsp {

namespace {

constexpr int significant_bits = 53;

//! The two halves of the product of two 64-bit numbers.
phase128 full_product(std::uint64_t a, std::uint64_t b)
{
    constexpr std::uint64_t mask = 0xffffffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
    const std::uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
    return { (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32),
             other << 32 | (low & mask) };
}

bool below(phase128 a, phase128 b)
{
    return a.high() < b.high() || (a.high() == b.high() && a.low() < b.low());
}

} // namespace

phase128 phase128::operator*(std::int64_t n) const
{
    // The arithmetic is modulo a turn. A negative factor therefore counts as a 128-bit
    // number whose upper 64 bits are all set.
    const auto number = static_cast<std::uint64_t>(n);
    const phase128 product = full_product(d_low, number);
    const std::uint64_t sign = n < 0 ? 0 - d_low : 0;
    return { product.high() + d_high * number + sign, product.low() };
}

phase128 phase128::quotient(double turns, double divisor, int power)
{
    // Dividend and divisor are integers times powers of two, so that long division gives
    // every bit exactly. Bits of whole turns are shifted out of the result.
    int exponent, divisor_exponent;
    const auto number = static_cast<std::uint64_t>(
        std::ldexp(std::frexp(std::fabs(turns), &exponent), significant_bits));
    const auto by = static_cast<std::uint64_t>(
        std::ldexp(std::frexp(divisor, &divisor_exponent), significant_bits));
    const phase128 denominator = power == 2 ? full_product(by, by) : phase128(0, by);
    const int zeros = 128 + (exponent - significant_bits) -
                      power * (divisor_exponent - significant_bits);

    phase128 result, rest;
    for (int bit = significant_bits - 1; bit >= -zeros; bit--) {
        rest = rest + rest + phase128(0, bit >= 0 ? number >> bit & 1 : 0);
        result = result + result;
        if (!below(rest, denominator)) {
            rest = rest - denominator;
            result = result + phase128(0, 1);
        }
    }
    if (zeros < 0)
        return {};
    if (!below(rest + rest, denominator))
        result = result + phase128(0, 1);
    return turns < 0 ? -result : result;
}

} // namespace cldsp
