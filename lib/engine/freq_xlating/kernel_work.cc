// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Counts the operations and bytes of a call, and the fraction of the roofline it reaches.

#include <cldsp/errors.h>
#include <cldsp/kernel_work.h>

#include "filter/kept_bins.h"
#include "filter/filter_variant.h"

#include <algorithm>
#include <complex>

namespace cldsp {

double kernel_work::fraction_of(const roofline& roof, double seconds) const
{
    const double most = intensity() > 0 ? roof.attainable(intensity(), bytes) : 0;
    return most > 0 && seconds > 0 ? operations / seconds / most : 0;
}

kernel_work filter_work(const freq_xlating_filter_bank_problem& problem,
                        const std::string& variant,
                        std::size_t ifft_size,
                        double accuracy,
                        std::size_t outputs)
{
    const auto* known = find_variant(variant);
    if (!known)
        throw_invalid("variant", "'" + variant + "'", "a variant's name");
    const auto count = static_cast<double>(outputs);
    const auto channels = static_cast<double>(problem.channels());
    plan_shape shape;
    shape.input = problem.input;
    shape.decimation = problem.decimation;
    shape.channels = problem.channels();
    shape.kept = 0;
    for (const auto& taps : problem.taps) {
        shape.taps = std::max(shape.taps, taps.size());
        shape.kept +=
            kept_bins(taps, accuracy) / static_cast<double>(problem.taps.size());
    }
    kernel_work work;
    work.bytes =
        count * (static_cast<double>(problem.decimation * sample_size(problem.input)) +
                 channels * sizeof(std::complex<float>));
    work.operations = known->operations({ problem, shape, count, ifft_size });
    return work;
}

} // namespace cldsp
