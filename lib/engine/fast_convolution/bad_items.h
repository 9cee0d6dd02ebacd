// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Finds the items of a call that are not finite numbers.

#pragma once

#include <cldsp/sample_type.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

namespace cldsp {

inline bool is_finite(std::complex<float> value)
{
    return std::isfinite(value.real()) && std::isfinite(value.imag());
}

/*!
 * The items of a call that are not finite. A transform spreads them over all of its
 * block, and the outputs whose taps do not meet them are computed again.
 */
class bad_items
{
public:
    //! Finds the items among \p count items that are not finite. Integers are always
    //! finite.
    void find(const void* items, sample_type type, std::size_t count);
    //! Whether one of the \p count items from item \p first on is not finite.
    bool any(std::size_t first, std::size_t count) const
    {
        return d_before[first + count] != d_before[first];
    }

private:
    std::vector<std::size_t> d_before; // the number of bad items before each item
};

} // namespace cldsp
