// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts the calls of an executor, and averages their times.

#pragma once

#include <cldsp/run_statistics.h>

#include <chrono>
#include <cstddef>

namespace cldsp {

//! Sums over all calls, which averages() divides by the number of calls.
class call_statistics
{
public:
    void add_call(std::size_t outputs)
    {
        ++d_sums.calls;
        d_sums.outputs += outputs;
    }
    //! Adds the times of a call in seconds. add_call() counts the same call, before or
    //! after this.
    void add_times(double kernel, double transfer)
    {
        d_sums.kernel_time += kernel;
        d_sums.transfer_time += transfer;
    }
    //! Runs and counts a call on the host. All of its time counts as kernel time.
    template <class Action>
    void time_call(std::size_t outputs, const Action& action)
    {
        using clock = std::chrono::steady_clock;
        const auto start = clock::now();
        action();
        const std::chrono::duration<double> time = clock::now() - start;
        d_sums.kernel_time += time.count();
        add_call(outputs);
    }

    run_statistics averages() const
    {
        run_statistics result = d_sums;
        if (result.calls) {
            result.kernel_time /= static_cast<double>(result.calls);
            result.transfer_time /= static_cast<double>(result.calls);
        }
        return result;
    }

private:
    run_statistics d_sums;
};

} // namespace cldsp
