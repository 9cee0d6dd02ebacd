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
#include <limits>
#include <string>

namespace cldsp {

//! What the cost of a typical call depends on.
struct plan_shape {
    sample_type input = sample_type::fc32;
    std::size_t taps = 1; //!< of the longest channel
    std::size_t decimation = 1;
    std::size_t channels = 1;
    std::size_t items = 8192; //!< input items of a typical call
    bool real_taps = true;    //!< of the prototypes
    //! The fraction of the bins (0 to 1) that fast convolution has to keep; see
    //! kept_bins().
    double kept = 1;
    unsigned threads = 1; //!< that a call on the host may use

    //! Of a channel, in a typical call.
    std::size_t outputs() const { return items > decimation ? items / decimation : 1; }
};

/*!
 * What the cost model predicts on one thread of the host, in seconds. By it an executor
 * decides whether a call is worth waking other threads, and whether the outputs that are
 * left over after whole blocks are worth a block. By default it always is.
 */
struct host_costs {
    // Of the direct algorithm, all channels included: a call, whatever it computes, an
    // output, and a tap of an output.
    double call = std::numeric_limits<double>::infinity();
    double output = 0, tap = 0;
    //! One block of a variant of fast convolution, all channels included.
    std::function<double(const std::string& variant, std::size_t ifft_size)> block;

    //! A call by the direct algorithm, the longest channel having that many taps.
    double direct(std::size_t outputs, std::size_t taps) const
    {
        return call + static_cast<double>(outputs) *
                          (output + static_cast<double>(taps) * tap);
    }
};

} // namespace cldsp
