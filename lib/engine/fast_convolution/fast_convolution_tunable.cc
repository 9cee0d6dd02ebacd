// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Makes fast convolution on a device tunable, on a filter's own problem.

#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"
#include "filter/checked_filter_call.h"
#include "filter/variants.h"
#include "tuning/executor_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/fast_convolution_tunable.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace cldsp {

namespace {

/*!
 * The largest error that the accuracy permits, in dB of the peak of the outputs.
 *
 * At each frequency, the part of the response that is left out has a gain below accuracy
 * times the largest gain. Noise passes with such a gain, while the outputs are as large
 * as the root of the sum of the squares of the taps. The peaks of both may differ by the
 * factor `peaks`.
 */
double worst_error_db(const filter_channel& setup, double accuracy)
{
    constexpr double rounding_db = -120, peaks = 2;
    double gain = 0, power = 0;
    for (const auto& tap : setup.problem.taps) {
        gain += std::abs(tap);
        power += std::norm(tap);
    }
    if (!(accuracy > 0 && power > 0))
        return rounding_db;
    return std::max(rounding_db,
                    20 * std::log10(accuracy * gain / std::sqrt(power) * peaks));
}

using fast_convolution_tunable = executor_tunable<filter_executor, checked_filter_call>;

} // namespace

std::unique_ptr<device_tunable>
make_fast_convolution_tunable(context_registry& registry,
                              const device_info& device,
                              const freq_xlating_fir_problem& problem,
                              std::size_t typical_items,
                              double accuracy,
                              const std::string& variant)
{
    // Other variants are for many channels, and a tunable has one.
    std::string known;
    bool is_known = false;
    for (const auto* one : opencl_fast_convolution_variants())
        if (one->has_tunable()) {
            is_known = is_known || one->name == variant;
            known += (known.empty() ? "" : " or ") + one->name;
        }
    if (!is_known)
        throw_invalid("variant", "'" + variant + "'", known);
    if (typical_items < 1)
        throw_invalid("typical_items", std::to_string(typical_items), "1 or more");
    check_accuracy(accuracy);
    if (!vkfft_plan::missing().empty())
        throw_invalid("algorithm",
                      "'fast_convolution' through OpenCL",
                      "another one: " + vkfft_plan::missing());
    problem.check();
    const filter_channel setup(problem);
    const std::size_t items = std::max(typical_items, problem.decimation);
    return std::make_unique<fast_convolution_tunable>(
        registry, device, [&](const context& where) -> fast_convolution_tunable::tuning {
            const fast_convolution_problem sizes{
                problem.input, problem.decimation, setup.taps(), 1
            };
            const auto size = fast_convolution_size(variant,
                                                    where.device(),
                                                    problem.decimation,
                                                    setup.taps(),
                                                    1,
                                                    items / problem.decimation);
            const auto parameters =
                fast_convolution_parameters(variant, where.device(), sizes, size, items);
            const char* transfer =
                where.device().kind == device_kind::cpu ? "zero_copy" : "copy";
            return { parameters,
                     fast_convolution_tuning_problem(sizes, items),
                     parameters.chosen(where.options()),
                     [setup, items] {
                         return std::make_shared<const checked_filter_call>(setup, items);
                     },
                     [variant, transfer, setup, accuracy](
                         const auto& made_on, const auto&, const auto& values) {
                         return make_opencl_fast_convolution(
                             made_on, variant, transfer, { setup }, accuracy, 0, values);
                     },
                     [](const auto& call) { return call.error(); },
                     worst_error_db(setup, accuracy) };
        });
}

bool may_run_fast_convolution(const freq_xlating_filter_bank_options& options,
                              const device_info& device,
                              const std::string& variant)
{
    return vkfft_plan::missing().empty() &&
           plan_options::of(options).allows_on_device(variant, device);
}

bool takes_fast_convolution(const freq_xlating_fir_problem& problem,
                            const device_info& device,
                            const std::string& variant)
{
    try {
        fast_convolution_size(variant, device, problem.decimation, problem.taps.size());
        return true;
    } catch (const std::invalid_argument&) {
        return false;
    }
}

} // namespace cldsp
