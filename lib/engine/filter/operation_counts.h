// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The operations of a complex product and of a transform, for counts of work.

#pragma once

#include <cmath>

namespace cldsp {

// What a variant's operations are counted with, see filter_variant::operations().
constexpr double complex_product = 8; //!< operations of a complex multiply-add
constexpr double real_product = 4;    //!< operations of that with a real tap
constexpr double complex_turn = 6;    //!< operations of a complex product without a sum

inline double transform_operations(double size)
{
    return size > 1 ? 5 * size * std::log2(size) : 0;
}

} // namespace cldsp
