/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>

namespace cldsp {

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

} // namespace cldsp
