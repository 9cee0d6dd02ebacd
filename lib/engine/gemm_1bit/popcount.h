/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cldsp {

//! Correlations of some items with the codes of a panel, see pack_panels().
struct popcount_task {
    const std::uint8_t* items; //!< at any address
    std::size_t item_bytes;
    std::size_t item_count;
    const std::uint64_t* panel; //!< its word \p first
    std::size_t first, count;   //!< words of the codes to be taken, max_words at most
    bool add;                   //!< to what is there; else to \p start
    std::int32_t start;
    std::int32_t* out; //!< out[item * out_step + code]
    std::size_t out_step;
    std::size_t codes; //!< of the panel that are wanted
};

//! The kernels as compiled for one instruction set.
struct popcount_kernels {
    const char* name;
    std::size_t panel; //!< codes that a panel has
    //! Subtracts twice the number of differing bits; those that an item's last word lacks
    //! count as zeros.
    void (*correlate)(const popcount_task& task);

    //! Words of a task at most: counters are bytes, and a panel shall stay in the cache.
    static constexpr std::size_t max_words = 240;
};

//! The kernels that this machine can run, the fastest first; never empty.
std::vector<const popcount_kernels*> available_popcount_kernels();

} // namespace cldsp
