// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Computes some ranges of outputs on the host, directly, for the comparison.

#include "direct/host_direct.h"
#include "freq_xlating/filter_check.h"

namespace cldsp {

namespace {

constexpr std::size_t filter_outputs = 16; // compared outputs of each range

} // namespace

void compare_filter_outputs(const filter_channel& setup,
                            const void* in,
                            const std::complex<float>* got,
                            std::size_t outputs,
                            output_comparison& to)
{
    const auto host = make_host_fir("auto", setup);
    const phase64 step = -setup.step * setup.problem.decimation;
    const std::size_t stride =
        setup.problem.decimation * sample_size(setup.problem.input);
    for (const auto& range : some_outputs(outputs, filter_outputs)) {
        std::vector<std::complex<float>> expected(range.count);
        host->run({ static_cast<const unsigned char*>(in) + range.first * stride,
                    expected.data(),
                    range.count,
                    step * range.first });
        to.add(got + range.first, expected.data(), range.count);
    }
}

} // namespace cldsp
