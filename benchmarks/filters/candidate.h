// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Filters that can be timed.

#pragma once

#include "common/measure.h"
#include "filters/workloads.h"

#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace cldsp::bench {

//! Something that filters and can be timed.
class candidate : public timed_work
{
public:
    //! The outputs of one call at the start of a stream.
    virtual std::vector<std::complex<float>> first_outputs() = 0;
    //! The outputs of another channel of a bank in the same call. Empty if only the first
    //! channel's outputs are kept.
    virtual std::vector<std::complex<float>>
    channel_outputs(std::size_t /*channel*/) const
    {
        return {};
    }
};

//! Times filters in the same way. \p check returns the error of one call of a filter in
//! dB.
std::vector<measurement>
measure_filters(const std::vector<std::unique_ptr<candidate>>& candidates,
                const measuring& how,
                const std::function<double(candidate&)>& check,
                const progress& tell);

/*!
 * Times filters in the same way; one call of each is checked against the expected
 * outputs.
 *
 * \param expected returns the expected outputs of a candidate, or nullptr to check
 * nothing
 */
std::vector<measurement>
measure(const std::vector<std::unique_ptr<candidate>>& candidates,
        const measuring& how,
        const std::function<const expected_outputs*(const candidate&)>& expected,
        const progress& tell);

} // namespace cldsp::bench
