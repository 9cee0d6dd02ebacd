// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Small integer functions: rounding up, quotients rounded up, powers of two.

#pragma once

#include <cstddef>
#include <limits>

namespace cldsp {

constexpr double infinity = std::numeric_limits<double>::infinity();

//! The smallest multiple of \p step that is not below \p value.
constexpr std::size_t round_up(std::size_t value, std::size_t step)
{
    return (value + step - 1) / step * step;
}

//! The number of steps of size \p step that cover \p value: the quotient, rounded up.
constexpr std::size_t divide_up(std::size_t value, std::size_t step)
{
    return (value + step - 1) / step;
}

constexpr bool is_power_of_two(std::size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

//! The largest power of two that is not above \p value, which is at least 1.
constexpr std::size_t power_of_two_up_to(std::size_t value)
{
    std::size_t power = 1;
    while (power <= value / 2)
        power *= 2;
    return power;
}

} // namespace cldsp
