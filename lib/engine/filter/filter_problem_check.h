// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The checks of taps and frequencies that a bank gets, at its construction or later.

#pragma once

#include <cldsp/shared_taps.h>

#include <cstddef>
#include <vector>

namespace cldsp {

//! \param known lists that were checked before, which may be long
//! \throws std::invalid_argument for another number of lists than 1 or \p channels, or
//! for bad taps
void check_bank_taps(const std::vector<shared_taps>& taps,
                     std::size_t channels,
                     const std::vector<shared_taps>& known = {});

//! \throws std::invalid_argument for a frequency that is not finite
void check_bank_freqs(const std::vector<double>& center_freqs);

} // namespace cldsp
