/* -*- c++ -*- */
/*
 * Copyright 2026 the gr-cldsp authors.
 *
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

#include "probe/filter_load.h"
#include <cldsp/fast_convolution_tunable.h>
#include <cldsp/fir_tunable.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

//! The variant of the direct kernel of a block; empty: it has nothing to tune.
std::string tuned_variant(const ::cldsp::freq_xlating_filter_bank_options& options)
{
    return has_parameters(options.variant) && options.algorithm != "fast_convolution"
               ? options.variant
               : "";
}

//! The part of the key of a kernel that does not depend on the algorithm.
std::string filter_key(const ::cldsp::freq_xlating_fir_problem& problem,
                       std::size_t items)
{
    const bool real = std::all_of(problem.taps.begin(),
                                  problem.taps.end(),
                                  [](const auto& tap) { return tap.imag() == 0; });
    std::ostringstream key;
    key << ::cldsp::sample_type_name(problem.input) << ' ' << problem.taps.size() << ' '
        << real << ' ' << problem.decimation << ' ' << items;
    return key.str();
}

//! The channel with the longest taps, for which the fast convolution of a bank is tuned.
std::size_t longest_channel(const ::cldsp::freq_xlating_filter_bank_problem& problem)
{
    const auto longest = std::max_element(
        problem.taps.begin(), problem.taps.end(), [](const auto& a, const auto& b) {
            return a.size() < b.size();
        });
    return static_cast<std::size_t>(longest - problem.taps.begin());
}

} // namespace

kernel_to_tune direct_filter_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                    std::size_t items,
                                    const std::string& variant)
{
    return {
        "fir " + filter_key(problem, items) + ' ' + variant,
        [=](::cldsp::context_registry& registry, const ::cldsp::device_info& device) {
            return ::cldsp::make_fir_tunable(registry, device, problem, items, variant);
        }
    };
}

kernel_to_tune fast_filter_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                  std::size_t items,
                                  double accuracy,
                                  const std::string& variant)
{
    std::ostringstream key;
    key << "fast " << filter_key(problem, items) << ' ' << accuracy << ' ' << variant;
    return { key.str(),
             [=](::cldsp::context_registry& registry,
                 const ::cldsp::device_info& device) {
                 return ::cldsp::make_fast_convolution_tunable(
                     registry, device, problem, items, accuracy, variant);
             } };
}

std::vector<kernel_to_tune> kernels_to_tune_of(const filter_load& load)
{
    std::vector<kernel_to_tune> kernels;
    const auto& problem = load.problem;
    const auto& options = load.options;
    if (problem.channels() == 0 || load.different_rates)
        return kernels;
    const std::string variant = tuned_variant(options);
    if (!variant.empty()) {
        // There may be one list of taps for all channels.
        std::set<std::string> known;
        for (std::size_t i = 0; i < problem.taps.size(); i++) {
            auto kernel =
                direct_filter_kernel(problem.channel(i), options.typical_items, variant);
            if (known.insert(kernel.key).second)
                kernels.push_back(std::move(kernel));
        }
    }
    for (const char* fast : { "vkfft", "fused_fold" }) {
        const auto longest = problem.channel(longest_channel(problem));
        kernels.push_back(
            fast_filter_kernel(longest, options.typical_items, options.accuracy, fast));
        kernels.back().runs_on = [=](const ::cldsp::device_info& device) {
            return ::cldsp::may_run_fast_convolution(options, device, fast) &&
                   ::cldsp::takes_fast_convolution(longest, device, fast);
        };
    }
    return kernels;
}

::cldsp::kernel_work
average_work_of(const filter_load& load, const std::string& variant, std::size_t block)
{
    const auto outputs = static_cast<std::size_t>(std::lround(load.outputs));
    if (outputs == 0 || load.problem.channels() == 0 || load.different_rates)
        return {};
    try {
        return ::cldsp::filter_work(
            load.problem, variant, block, load.options.accuracy, outputs);
    } catch (const std::invalid_argument&) { // an algorithm without a count
        return {};
    }
}

} // namespace cldsp
} // namespace gr
