// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Divides the time of a measurement among its steps, with clocks for them.

#pragma once

#include "base/stopwatch.h"

#include <cldsp/roofline.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace cldsp {

//! Divides the measuring time among the steps of a measurement, and reports each step.
class roofline_steps
{
public:
    roofline_steps(const roofline_options& options, std::size_t steps)
        : d_options(options), d_steps(steps)
    {
    }

    //! Begins a step. \returns the seconds that it may take
    double next(const std::string& what)
    {
        if (d_options.progress)
            d_options.progress(d_done, d_steps, what);
        d_done++;
        return d_options.seconds / static_cast<double>(d_steps);
    }

private:
    const roofline_options& d_options;
    std::size_t d_steps, d_done = 0;
};

/*!
 * The seconds of a run on a number of cores that share nothing. It is the processor time
 * per core. The clock shows more time than that if other programs used the cores
 * meanwhile.
 */
class core_watch
{
public:
    double seconds(std::size_t cores) const
    {
        const double used = (processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - d_start) /
                            static_cast<double>(cores);
        return used > 0 ? std::min(used, d_wall.seconds()) : d_wall.seconds();
    }

private:
    stopwatch d_wall;
    double d_start = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
};

//! Calls \p run again and again for \p seconds. Returns the value that exceeds a fraction
//! \p quantile of all values.
inline double
quantile_of_runs(double quantile, double seconds, const std::function<double()>& run)
{
    constexpr std::size_t least = 3, most = 101;
    const stopwatch watch;
    std::vector<double> values;
    while (values.size() < least || (watch.seconds() < seconds && values.size() < most))
        values.push_back(run());
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(
                                         quantile * static_cast<double>(values.size()));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

//! The median of \p run's times.
inline double median_of_runs(double seconds, const std::function<double()>& run)
{
    return quantile_of_runs(0.5, seconds, run);
}

//! The upper quartile of \p run's rates, which counts as the peak rate. Other programs
//! can only slow a run down, but the very fastest run may be an error of the clock.
inline double rate_of_runs(double seconds, const std::function<double()>& run)
{
    return quantile_of_runs(0.75, seconds, run);
}

/*!
 * The number of passes with which a run lasts \p wanted seconds. \p run is called with
 * more and more passes, and returns the seconds it took.
 */
template <class Passes>
Passes passes_for(double wanted, Passes most, const std::function<double(Passes)>& run)
{
    constexpr double growth = 32; // a first short run says little about a long one
    double passes = 16;
    for (;;) {
        const double seconds = std::max(run(static_cast<Passes>(passes)), 1e-9);
        const double factor = wanted / seconds;
        if (factor < 1.5 || passes >= static_cast<double>(most))
            return static_cast<Passes>(passes);
        passes = std::min(passes * std::min(factor, growth), static_cast<double>(most));
    }
}

//! Measures the host, with the number of threads that the options give.
roofline measure_host_roofline(const roofline_options& options);
//! Measures an OpenCL device. \throws opencl_error if the device refuses every step
roofline measure_opencl_roofline(const std::shared_ptr<context>& device,
                                 const roofline_options& options);

//! These two functions measure only the figure fp32. \throws opencl_error
double measure_host_fp32(const roofline_options& options);
double measure_opencl_fp32(const std::shared_ptr<context>& device,
                           const roofline_options& options);

} // namespace cldsp
