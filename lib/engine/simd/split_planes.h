/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>

namespace cldsp {

/*!
 * Split planes are complex values as vectors: of as many neighbours as a vector has lanes
 * the real parts, then the imaginary ones. Their lanes are in the order that the cheapest
 * shuffles of interleaved values give, those within each 16 bytes.
 *
 * This is the value, of its vector's, that a lane has. (Static, so that the kernels'
 * files have instructions of their own for it.)
 */
static constexpr std::size_t split_lane(std::size_t lane, std::size_t width)
{
    return lane % 4 / 2 * (width / 2) + lane / 4 * 2 + lane % 2;
}

} // namespace cldsp
