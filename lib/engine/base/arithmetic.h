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

//! How many parts of \p step items \p value items fill, the last one in part.
constexpr std::size_t divide_up(std::size_t value, std::size_t step)
{
    return (value + step - 1) / step;
}

} // namespace cldsp
