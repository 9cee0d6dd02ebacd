// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts differing bits of items and codes, and the kernels that do it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

//! Correlations of some items with the codes of one panel; see pack_panels().
struct popcount_task {
    const std::uint8_t* items; //!< the first item, without any alignment
    std::size_t item_bytes;
    std::size_t item_count;
    const std::uint64_t* panel; //!< word \p first of the panel
    std::size_t first, count;   //!< the range of the codes' words to take; at most
                                //!< max_words words
    bool add;                   //!< true: add to the values in \p out; false: begin with
                                //!< \p start
    std::int32_t start;
    std::int32_t* out; //!< out[item * out_step + code]
    std::size_t out_step;
    std::size_t codes; //!< number of the panel's codes that are wanted
};

//! The kernels as compiled for one instruction set.
struct popcount_kernels {
    const char* name;
    std::size_t panel; //!< number of codes in a panel
    //! Subtracts twice the number of differing bits from each correlation. Bits that are
    //! missing in the last word of an item count as zeros.
    void (*correlate)(const popcount_task& task);

    //! The most words of a task. The counters are bytes, and a panel should stay in the
    //! cache.
    static constexpr std::size_t max_words = 240;
};

//! The kernels that this machine can run, the fastest first; never empty.
std::vector<const popcount_kernels*> available_popcount_kernels();

} // namespace cldsp
