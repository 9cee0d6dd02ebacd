/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cstddef>
#include <string>

namespace cldsp {

/*!
 * What a planner has chosen to compute with, as data. plan() of a filter is the sentence
 * about it that people read.
 */
struct chosen_plan {
    std::string device;    //!< device_info::id(): "host" or e.g. "0:1"
    std::string algorithm; //!< "direct" or "fast_convolution"; empty: no plan was made
    std::string variant;   //!< e.g. "simd", "rows"
    std::string transfer;  //!< "copy", "mapped", "zero_copy", or "none" on the host
    std::size_t rows = 0;  //!< of a block of fast convolution; 0: it has no blocks
    bool measured = false; //!< by this choice or by one that it remembers
};

} // namespace cldsp
