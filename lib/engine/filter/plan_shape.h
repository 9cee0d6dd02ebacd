/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#pragma once

#include <cldsp/sample_type.h>

#include <cstddef>
#include <functional>

namespace cldsp {

//! What the cost of a typical call depends on.
struct plan_shape {
    sample_type input = sample_type::fc32;
    std::size_t taps = 1; //!< of the longest channel
    std::size_t decimation = 1;
    std::size_t channels = 1;
    std::size_t items = 8192; //!< input items of a typical call
    bool real_taps = true;    //!< of the prototypes
    //! Part of the bins that fast convolution has to keep, see kept_bins(); 0 to 1.
    double kept = 1;
    unsigned threads = 1; //!< that a call on the host may use

    //! Of a channel, in a typical call.
    std::size_t outputs() const { return items > decimation ? items / decimation : 1; }
};

//! Seconds that a call of a shape is predicted to take.
using seconds_of_shape = std::function<double(const plan_shape&)>;

} // namespace cldsp
