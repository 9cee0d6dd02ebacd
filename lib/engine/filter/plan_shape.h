// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// The numbers of a problem that the time of its calls depends on.

#pragma once

#include <cldsp/sample_type.h>

#include <cstddef>
#include <limits>

namespace cldsp {

//! The properties of a problem that the cost of a typical call depends on.
struct plan_shape {
    sample_type input = sample_type::fc32;
    std::size_t taps = 1; //!< taps of the longest channel
    std::size_t decimation = 1;
    std::size_t channels = 1;
    std::size_t items = 8192; //!< input items of a typical call
    bool real_taps = true;    //!< whether the taps of all channels are real
    //! The fraction of the bins (0 to 1) that fast convolution has to keep; see
    //! kept_bins().
    double kept = 1;
    unsigned threads = 1; //!< threads that a call on the host may use

    //! The number of outputs of one channel in a typical call.
    std::size_t outputs() const { return items > decimation ? items / decimation : 1; }
};

/*!
 * Predictions of the direct algorithm for one thread of the host, in seconds. Executors
 * use them to decide whether a call is worth waking other threads. With the default
 * values it always is.
 */
struct host_costs {
    // Seconds of the direct algorithm, for all channels together: a fixed part per call,
    // a part per output, a part per tap of an output, and a part per tap in the window of
    // the first output.
    double call = std::numeric_limits<double>::infinity();
    double output = 0, tap = 0, first = 0;
    //! The seconds of a call by the direct algorithm. \p taps are those of the longest
    //! channel.
    double direct(std::size_t outputs, std::size_t taps) const
    {
        if (outputs == 0)
            return call;
        const auto n = static_cast<double>(taps);
        return call + n * first + static_cast<double>(outputs) * (output + n * tap);
    }
};

} // namespace cldsp
