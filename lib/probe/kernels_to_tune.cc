// SPDX-License-Identifier: GPL-3.0-or-later
// Copyright 2026 the gr-cldsp authors.
// Lists the kernels that blocks may run, and counts their work.

#include "probe/kernels_to_tune.h"
#include <cldsp/fast_convolution_tunable.h>
#include <cldsp/fir_tunable.h>
#include <cldsp/gemm_1bit_tunable.h>
#include <cldsp/gemm_tunable.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>

namespace gr {
namespace cldsp {

namespace {

using ::cldsp::context_registry;
using ::cldsp::device_info;

template <class... Words>
std::string key_of(const Words&... words)
{
    std::ostringstream key;
    ((key << words << ' '), ...);
    return key.str();
}

std::string key_of_filter(const ::cldsp::freq_xlating_fir_problem& problem)
{
    const bool real = std::all_of(problem.taps.begin(),
                                  problem.taps.end(),
                                  [](const auto& tap) { return tap.imag() == 0; });
    return key_of(::cldsp::sample_type_name(problem.input),
                  problem.taps.size(),
                  real,
                  problem.decimation);
}

std::string key_of_sizes(const ::cldsp::gemm_shape& shape)
{
    return key_of(shape.m, shape.n, shape.k);
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

kernel_to_tune fir_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                          std::size_t items,
                          const std::string& variant)
{
    return { key_of("fir", key_of_filter(problem), items, variant),
             [=](context_registry& registry, const device_info& device) {
                 return make_fir_tunable(registry, device, problem, items, variant);
             } };
}

kernel_to_tune fast_convolution_kernel(const ::cldsp::freq_xlating_fir_problem& problem,
                                       std::size_t items,
                                       double accuracy,
                                       const std::string& variant)
{
    return { key_of("fast", key_of_filter(problem), items, accuracy, variant),
             [=](context_registry& registry, const device_info& device) {
                 return make_fast_convolution_tunable(
                     registry, device, problem, items, accuracy, variant);
             } };
}

kernel_to_tune gemm_kernel(::cldsp::gemm_type type,
                           const ::cldsp::gemm_shape& shape,
                           const std::string& variant)
{
    return { key_of("gemm", ::cldsp::type_name(type), key_of_sizes(shape), variant),
             [=](context_registry& registry, const device_info& device) {
                 return make_gemm_tunable(registry, device, type, shape, variant);
             } };
}

kernel_to_tune gemm_1bit_kernel(const ::cldsp::gemm_shape& shape,
                                const std::string& variant)
{
    return { key_of("gemm_1bit", key_of_sizes(shape), variant),
             [=](context_registry& registry, const device_info& device) {
                 return make_gemm_1bit_tunable(registry, device, shape, variant);
             } };
}

std::vector<kernel_to_tune> kernels_to_tune_of(const filter_load& load)
{
    std::vector<kernel_to_tune> kernels;
    const auto& problem = load.problem;
    const auto& options = load.options;
    const std::size_t items = options.typical_items;
    if (problem.channels() == 0 || load.different_rates)
        return kernels;
    if (has_parameters(options.variant) && options.algorithm != "fast_convolution") {
        // There may be one list of taps for all channels.
        std::set<std::string> known;
        for (std::size_t i = 0; i < problem.taps.size(); i++) {
            auto kernel = fir_kernel(problem.channel(i), items, options.variant);
            if (known.insert(kernel.key).second)
                kernels.push_back(std::move(kernel));
        }
    }
    const auto longest = problem.channel(longest_channel(problem));
    for (const char* fast : { "vkfft", "fused_fold" }) {
        kernels.push_back(
            fast_convolution_kernel(longest, items, options.accuracy, fast));
        kernels.back().runs_on = [=](const device_info& device) {
            return may_run_fast_convolution(options, device, fast) &&
                   takes_fast_convolution(longest, device, fast);
        };
    }
    return kernels;
}

std::vector<kernel_to_tune> if_tunable(const std::string& variant, kernel_to_tune kernel)
{
    if (!has_parameters(variant))
        return {};
    return { std::move(kernel) };
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

::cldsp::kernel_work gemm_work(::cldsp::gemm_type type, const ::cldsp::gemm_shape& shape)
{
    if (shape.m == 0 || shape.n == 0 || shape.k == 0)
        return {};
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
    ::cldsp::kernel_work work;
    work.operations = shape.operations(type);
    work.bytes = (m * k + k * n) * static_cast<double>(::cldsp::element_size(type)) +
                 m * n * static_cast<double>(::cldsp::result_size(type));
    return work;
}

} // namespace cldsp
} // namespace gr
