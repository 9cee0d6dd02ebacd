/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "direct/fir_tuning.h"
#include "fast_convolution/fast_convolution_shape.h"
#include "fast_convolution/fast_convolution_tuning.h"
#include "fast_convolution/opencl_fast_convolution.h"
#include "fast_convolution/opencl_fast_convolution_variant.h"
#include "fft/vkfft_plan.h"
#include "filter/variants.h"
#include "tuning/kernel_tunable.h"

#include <cldsp/errors.h>
#include <cldsp/fast_convolution_tunable.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

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

class fast_convolution_tunable final : public kernel_tunable
{
public:
    fast_convolution_tunable(context_registry& registry,
                             const device_info& device,
                             const freq_xlating_fir_problem& problem,
                             std::size_t items,
                             double accuracy,
                             const std::string& variant)
        : kernel_tunable(registry, device),
          d_variant(variant),
          d_setup((problem.check(), problem)),
          d_items(std::max(items, problem.decimation)),
          d_accuracy(accuracy)
    {
        const fast_convolution_place place(variant, *trials());
        const fast_convolution_problem sizes{
            problem.input, problem.decimation, d_setup.taps(), 1
        };
        const auto untuned =
            fast_convolution_values(place,
                                    sizes,
                                    fast_convolution_size(variant,
                                                          place.device,
                                                          problem.decimation,
                                                          d_setup.taps(),
                                                          1,
                                                          d_items / problem.decimation));
        describe(place,
                 fast_convolution_tuning_problem(sizes, d_items),
                 fast_convolution_tuning_space(place, sizes, d_items, untuned),
                 untuned,
                 worst_error_db(d_setup, accuracy));
    }

    std::unique_ptr<tuning_trial> prepare(const tuning_point& point) override
    {
        if (!d_call || d_call->is_kept())
            d_call = std::make_shared<const checked_fir_call>(d_setup, d_items);
        return std::make_unique<fir_trial>(executor(trials(), point), d_call, is_cpu());
    }

    void adopt(const tuning_point& point) override { executor(adopting(), point); }

private:
    std::unique_ptr<filter_executor> executor(std::shared_ptr<context> device,
                                              const tuning_point& point) const
    {
        const char* transfer = is_cpu() ? "zero_copy" : "copy";
        return make_opencl_fast_convolution(std::move(device),
                                            d_variant,
                                            transfer,
                                            { d_setup },
                                            d_accuracy,
                                            0,
                                            point.by_name());
    }

    std::string d_variant;
    filter_channel d_setup;
    std::size_t d_items;
    double d_accuracy;
    std::shared_ptr<const checked_fir_call> d_call; // made when first needed
};

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
    return std::make_unique<fast_convolution_tunable>(
        registry, device, problem, typical_items, accuracy, variant);
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
