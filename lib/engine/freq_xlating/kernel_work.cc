/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include <cldsp/errors.h>
#include <cldsp/kernel_work.h>

#include "fft/row_transform.h"
#include "filter/kept_bins.h"
#include "filter/variants.h"
#include "freq_xlating/cost_model.h"

#include <algorithm>
#include <cmath>

namespace cldsp {

namespace {

constexpr double complex_product = 8; // operations of a complex multiply-add
constexpr double real_product = 4;    // operations of that with a real tap
constexpr double turn = 6;            // operations of a complex product without a sum

double transform(double size) { return size > 1 ? 5 * size * std::log2(size) : 0; }

double direct_operations(const freq_xlating_filter_bank_problem& problem,
                         const std::string& variant,
                         double outputs)
{
    const bool uses_real_taps = variant == "simd" || variant == "cpu_tile";
    double operations = 0;
    for (std::size_t c = 0; c < problem.channels(); c++) {
        const auto& taps = problem.taps_of(c);
        const bool real = uses_real_taps && taps.are_real();
        operations += (real ? real_product : complex_product) * outputs *
                      static_cast<double>(taps.size());
    }
    return operations;
}

double block_operations(const freq_xlating_filter_bank_problem& problem,
                        const std::string& variant,
                        std::size_t ifft_size,
                        double accuracy,
                        double outputs)
{
    plan_shape shape;
    shape.input = problem.input;
    shape.decimation = problem.decimation;
    shape.channels = problem.channels();
    double kept = 0;
    for (const auto& taps : problem.taps) {
        shape.taps = std::max(shape.taps, taps.size());
        kept += kept_bins(taps, accuracy) / static_cast<double>(problem.taps.size());
    }
    if (variant == "dft_bank") {
        // The sums of one filter, and a transform for each output of all channels.
        const auto size = static_cast<double>(ifft_size);
        return outputs *
               (complex_product * static_cast<double>(shape.taps) + turn * size +
                transform(size) + turn * static_cast<double>(shape.channels));
    }
    const std::size_t a_block = block_outputs(shape, variant, ifft_size);
    if (a_block == 0)
        throw_invalid(
            "ifft_size", std::to_string(ifft_size), "more than the overlap of the taps");
    const auto m = static_cast<double>(ifft_size);
    const double block_items = m * static_cast<double>(problem.decimation);
    double forward, channel;
    if (variant == "polyphase") {
        // A row holds the items of several outputs. Each of its columns is one transform.
        const bool is_real = !is_complex(problem.input);
        const auto phases = static_cast<double>(row_phases(
            problem.decimation, is_real, available_row_kernels().front()->width));
        forward = phases * static_cast<double>(problem.decimation) *
                  (is_real ? transform(m / 2) : transform(m));
        channel = phases * (complex_product * phases * block_items + transform(m));
    } else {
        const double size = variant == "four_step" ? m : block_items;
        forward = transform(size);
        channel = complex_product * std::max(kept * size, m) + transform(m);
    }
    const double blocks = outputs / static_cast<double>(a_block);
    const auto channels = static_cast<double>(problem.channels());
    return blocks * (forward + channels * channel) + channels * outputs * turn;
}

} // namespace

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
    kernel_work work;
    work.bytes =
        count * (static_cast<double>(problem.decimation * sample_size(problem.input)) +
                 channels * sizeof(std::complex<float>));
    work.operations =
        known->algorithm == "direct"
            ? direct_operations(problem, variant, count)
            : block_operations(problem, variant, ifft_size, accuracy, count);
    return work;
}

} // namespace cldsp
