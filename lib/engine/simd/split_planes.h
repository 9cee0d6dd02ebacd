// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The order of values whose real and imaginary parts lie in separate vectors.

#pragma once

#include <cstddef>

namespace cldsp {

/*!
 * Split planes store complex values in pairs of vectors: a vector of real parts, then a
 * vector of the imaginary parts of the same values. The lanes are in the order that the
 * cheapest shuffles of interleaved values give, which move data only within each 16
 * bytes.
 *
 * Returns the index, among the values of such a pair of vectors, of the value in lane
 * \p lane. The vectors have \p width lanes. (Static, so that each kernel file compiles it
 * for its own instruction set.)
 */
static constexpr std::size_t split_lane(std::size_t lane, std::size_t width)
{
    return lane % 4 / 2 * (width / 2) + lane / 4 * 2 + lane % 2;
}

} // namespace cldsp
